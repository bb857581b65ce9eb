import type { Hex } from '#libs/core/ids.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { KeyedState } from '../keyed-state.js';
import type { BlockPosition } from '../space.js';
import { balanceKey, balances, tickKey, ticks } from './test-spaces.js';

/** Blocks that follow from their number alone, so that any process can say what the state after one of them is. */
export const positionOf = (seq: number): BlockPosition => ({
  seq,
  height: 100 + seq,
  hash: seq.toString(16).padStart(64, '0'),
});

interface NumberedSet {
  key: Hex;
  balance: bigint | null;
  tick: Hex;
}

function setsOf(seed: number, seq: number): NumberedSet[] {
  const random = new SeededRandom(seed * 1_000_003 + seq);
  return Array.from({ length: random.int(1, 300) }, () => ({
    key: balanceKey(random.int(0, 5_000)),
    balance: random.chance(0.1) ? null : random.bits(200),
    tick: tickKey(random.int(0, 20), random.int(-50, 50)),
  }));
}

export function applyNumbered(state: KeyedState, seed: number, seq: number): void {
  state.beginBlock(positionOf(seq));
  for (const { key, balance, tick } of setsOf(seed, seq)) {
    state.space(balances).set(key, balance);
    const gross = (state.space(ticks).get(tick)?.gross ?? 0n) + 1n;
    state.space(ticks).set(tick, { gross, net: BigInt(seq) });
  }
  state.endBlock();
}

/** The values after all blocks up to this one. */
export function valuesAfter(seed: number, last: number): { balances: Map<Hex, bigint>; ticks: Map<Hex, unknown> } {
  const all = { balances: new Map<Hex, bigint>(), ticks: new Map<Hex, { gross: bigint; net: bigint }>() };
  for (let seq = 0; seq <= last; seq++) {
    for (const { key, balance, tick } of setsOf(seed, seq)) {
      if (balance === null) all.balances.delete(key);
      else all.balances.set(key, balance);
      all.ticks.set(tick, { gross: (all.ticks.get(tick)?.gross ?? 0n) + 1n, net: BigInt(seq) });
    }
  }
  return all;
}
