import { keyedContract } from '#libs/devkit/testing/histories/keyed-contract.js';
import { tokenStandards } from './projection.js';
import { naiveStandards } from './test/oracle.js';

keyedContract(tokenStandards, naiveStandards);
