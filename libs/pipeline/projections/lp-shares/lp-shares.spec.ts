import { keyedContract } from '#libs/devkit/testing/histories/keyed-contract.js';
import { lpShares } from './projection.js';
import { naiveLpShares } from './test/oracle.js';

keyedContract(lpShares, naiveLpShares, { family: 'evm', shares: true });
