import { keyedContract } from '#libs/devkit/testing/histories/keyed-contract.js';
import { firstTrades } from './projection.js';
import { naiveFirstTrades } from './test/oracle.js';

keyedContract(firstTrades, naiveFirstTrades, { histories: 24, groups: 60, traders: true });
