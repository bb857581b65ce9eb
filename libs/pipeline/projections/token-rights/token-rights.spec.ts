import { keyedContract } from '#libs/devkit/testing/histories/keyed-contract.js';
import { tokenRights } from './projection.js';
import { naiveRights } from './test/oracle.js';

keyedContract(tokenRights, naiveRights);
