import type { Hex } from '#libs/core/ids.js';
import { runFold } from '#libs/devkit/testing/histories/fold-driver.js';
import { keyedContract, surviving } from '#libs/devkit/testing/histories/keyed-contract.js';
import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { propertySeeds } from '#libs/devkit/testing/seeded-random.js';
import { naiveBalances } from '../balances/test/oracle.js';
import { positions } from './projection.js';
import { naivePositions } from './test/oracle.js';

keyedContract(positions, naivePositions, { histories: 24, groups: 60, traders: true });

it('holds the balance, which is what was bought less what was sold and what was transferred', () => {
  const seen = { held: 0, bought: 0, sold: 0, profits: 0, losses: 0, unpriced: 0, mixed: 0, closed: 0 };
  for (const seed of propertySeeds(6)) {
    const { groups } = randomHistory(seed, { groups: 100, traders: true, retractions: 0.03 });
    const blocks = surviving(runFold(groups).facts);
    const held = new Map(naiveBalances(blocks).map(({ token, wallet, amount }) => [`${token} ${wallet}`, amount]));
    for (const row of naivePositions(blocks)) {
      const amount = held.get(`${row.token} ${row.wallet}`) ?? 0n;
      expect({ seed, amount: row.amount }).toEqual({ seed, amount });
      expect(row.priced <= amount && row.soldUnpriced <= row.soldUnits && row.wins <= row.closes).toBe(true);
      seen.held += Number(amount > 0n);
      seen.bought += row.buys;
      seen.sold += row.sells;
      seen.profits += Number(row.gainUsd > 0n);
      seen.losses += Number(row.lossUsd > 0n);
      seen.unpriced += Number(row.soldUnpriced > 0n);
      seen.mixed += Number(row.priced > 0n && row.priced < amount);
      seen.closed += Number(row.heldMs > 0 && row.heldSince === 0);
      expect(row.heldSince > 0).toBe(amount > 0n);
    }
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(3);
});

it('says nothing of wallets that never traded a token', () => {
  const { facts } = runFold(randomHistory(5, { groups: 80, traders: true }).groups);
  const traded = new Set<Hex>();
  for (const group of facts) {
    if (group.kind !== 'block') continue;
    for (const { wallet, base, quote } of group.trades) traded.add(`${base} ${wallet}`).add(`${quote} ${wallet}`);
    for (const { token, wallet } of group.positions ?? []) expect(traded.has(`${token} ${wallet}`)).toBe(true);
  }
  expect(traded.size).toBeGreaterThan(10);
});
