import { keyedContract } from '#libs/devkit/testing/histories/keyed-contract.js';
import { walletProfits } from './projection.js';
import { naiveProfits } from './test/oracle.js';

// Blocks often enough that an hour has several.
let linked = 0;

keyedContract(
  walletProfits,
  (...of) => {
    const rows = naiveProfits(...of);
    linked += rows.filter(({ linkedUsd }) => linkedUsd > 0n).length;
    return rows;
  },
  { histories: 24, groups: 60, traders: true, funded: true, blockTime: 400_000 },
);

it('has had profits of wallets of one funder against each other', () => {
  expect(linked).toBeGreaterThan(0);
});
