import type { KnownAccounts, SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { WRAPPED_SOL } from '#libs/chain/chains/solana/programs.js';
import { type GenuineSwap, recordedSwaps } from '#libs/chain/market-ports/solana/test/genuine-swaps.js';
import { readBuybackRecipients } from './account.js';
import { pumpFunSwaps } from './instruction.js';
import { PUMP_GLOBAL } from './quote.js';

/** Instructions over the accounts of swaps that the deployed program made; what it takes is in test/genuine. */
const CASHBACK_AT = 82;
const swaps = recordedSwaps().get('pump-fun')!;
const inSol = (swap: GenuineSwap): boolean => swap.mints[1] === WRAPPED_SOL;
const written = ({ order, mints }: GenuineSwap, known: KnownAccounts) => pumpFunSwaps.write(order, known, mints);

it('both kinds of quotes were recorded', () => {
  expect(new Set(swaps.map(inSol))).toEqual(new Set([true, false]));
});

it('coins move on curves in SOL alone', () => {
  for (const swap of swaps) {
    expect(pumpFunSwaps.movesCoins!(swap.order.pool, swap.known)).toBe(inSol(swap));
    expect(pumpFunSwaps.movesCoins!(swap.order.pool, new Map())).toBe(false);
  }
});

it('a curve is traded by the mint that its address is derived from, and by no other one', () => {
  for (const { order, known, mints } of swaps) {
    for (const others of [undefined, [], [mints[1]], [mints[1], order.trader], ['no address']]) {
      expect(pumpFunSwaps.write(order, known, others)).toBeNull();
      expect(pumpFunSwaps.needs(order.pool, known, others)).toEqual([]);
    }
    expect(pumpFunSwaps.write(order, known, mints.toReversed())).toEqual(pumpFunSwaps.write(order, known, mints));
  }
});

it('no instruction sells for an exact quote, nor trades on a curve that gives fees back', () => {
  for (const swap of swaps) {
    const { order, known } = swap;
    const exact = { ...swap, order: { ...order, exact: 'out' as const } };
    expect(written(exact, known) === null).toBe(order.aToB);
    const curve = known.get(order.pool)!;
    const data = Uint8Array.from(curve.data);
    if (data.length <= CASHBACK_AT) continue;
    data[CASHBACK_AT] = 1;
    expect(written(swap, new Map(known).set(order.pool, { ...curve, data }))).toBeNull();
  }
});

it('the fee goes to a recipient that can be paid; without one there is no instruction', () => {
  const PLACE = 13;
  const chosenIn = (swap: GenuineSwap, known: KnownAccounts) => written(swap, known)?.accounts[PLACE]?.address ?? null;
  let others = 0;
  for (const swap of swaps) {
    const chosen = swap.call.accounts[PLACE]!.address;
    const account = swap.known.get(chosen)!;
    if (inSol(swap)) expect(readBuybackRecipients(swap.known.get(PUMP_GLOBAL)!.data)).toContain(chosen);
    const missing = (known: KnownAccounts): string[] =>
      pumpFunSwaps.needs(swap.order.pool, known, swap.mints).filter((address) => !known.has(address));
    // Gone, or on a curve in SOL too poor to stay with a few lamports: the next one is asked for.
    const unpaid: (SolanaAccount | null)[] = [null, ...(inSol(swap) ? [{ ...account, lamports: 890_879n }] : [])];
    for (const one of unpaid) {
      const known = new Map(swap.known).set(chosen, one);
      const [next] = missing(known);
      expect(chosenIn(swap, known)).toBeNull();
      if (next === undefined) continue;
      known.set(next, account);
      expect([missing(known), chosenIn(swap, known)]).toEqual([[], next]);
      others++;
      for (let [rest] = missing(known.set(next, null)); rest !== undefined; [rest] = missing(known))
        known.set(rest, null);
      expect(chosenIn(swap, known)).toBeNull();
    }
  }
  expect(others).toBeGreaterThan(0);
});
