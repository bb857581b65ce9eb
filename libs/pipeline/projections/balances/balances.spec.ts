import { keyedContract } from '#libs/devkit/testing/histories/keyed-contract.js';
import { balances } from './projection.js';
import { naiveBalances } from './test/oracle.js';

keyedContract(balances, naiveBalances);
