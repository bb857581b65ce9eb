import { keyedContract } from '#libs/devkit/testing/histories/keyed-contract.js';
import { tokenShares } from './projection.js';
import { naiveShares } from './test/oracle.js';

keyedContract(tokenShares, naiveShares, { histories: 24, groups: 60, traders: true, busiest: 12 });
