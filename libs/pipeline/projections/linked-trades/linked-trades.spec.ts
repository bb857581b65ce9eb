import { keyedContract } from '#libs/devkit/testing/histories/keyed-contract.js';
import { linkedTrades } from './projection.js';
import { naiveLinkedTrades } from './test/oracle.js';

keyedContract(linkedTrades, naiveLinkedTrades, {
  histories: 24,
  groups: 60,
  traders: true,
  funded: true,
  blockTime: 400_000,
});
