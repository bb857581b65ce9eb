import { keyedContract } from '#libs/devkit/testing/histories/keyed-contract.js';
import { walletProfits } from './projection.js';
import { naiveProfits } from './test/oracle.js';

// Blocks often enough that an hour has several.
keyedContract(walletProfits, naiveProfits, { histories: 24, groups: 60, traders: true, blockTime: 400_000 });
