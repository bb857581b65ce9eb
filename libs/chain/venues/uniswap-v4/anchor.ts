import type { ContractCall } from '#libs/chain/chains/evm/contract-reader.js';
import { keccak256Hex } from '#libs/chain/chains/evm/keccak.js';
import { encodeInt, encodeUint } from '#libs/chain/chains/evm/words.js';
import type { PoolAnchorPlan } from '#libs/chain/market-ports/evm/evm-venue.js';
import { initializedTicks, tickBitmapWords } from '#libs/chain/market-ports/evm/v3-pool/tick-bitmap.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolRecord, TickRecord } from '#libs/protocol/blocks.js';

/**
 * State of a V4 pool by the manager's own getter of its storage, extsload(bytes32[]): price, liquidity and every
 * initialized tick. The manager's balances say nothing about one pool: its amounts follow from its liquidity.
 *
 * Layout of `mapping(PoolId => Pool.State)` at slot 6: slot0, fee growth (2), liquidity, ticks, bitmap.
 */
const EXTSLOAD = 'dbd035ff';
const POOLS_SLOT = 6n;
const LIQUIDITY = 3n;
const TICKS = 4n;
const BITMAP = 5n;
/** Slots of one call. */
const SLOTS_A_CALL = 256;
/** Words before those of the bitmap. */
const SCALARS = 2;

const MASK_128 = (1n << 128n) - 1n;
const MASK_160 = (1n << 160n) - 1n;
const MASK_24 = (1n << 24n) - 1n;

const slotOf = (key: string, slot: bigint): bigint =>
  BigInt(`0x${keccak256Hex(Buffer.from(key + encodeUint(slot), 'hex'))}`);

const stateSlot = (pool: Hex): bigint => slotOf(pool, POOLS_SLOT);

function loadCalls(manager: Hex, slots: readonly bigint[]): ContractCall[] {
  const calls: ContractCall[] = [];
  for (let start = 0; start < slots.length; start += SLOTS_A_CALL) {
    const some = slots.slice(start, start + SLOTS_A_CALL);
    calls.push({
      to: manager,
      data: EXTSLOAD + encodeUint(32) + encodeUint(some.length) + some.map(encodeUint).join(''),
    });
  }
  return calls;
}

/** The words of all calls, in order; null when an answer is not what was asked for. */
function loaded(answers: readonly (string | null)[], count: number): bigint[] | null {
  const words: bigint[] = [];
  for (const answer of answers) {
    const expected = Math.min(SLOTS_A_CALL, count - words.length);
    if (answer === null || answer.length !== 64 * (2 + expected)) return null;
    if (!answer.startsWith(encodeUint(32) + encodeUint(expected))) return null;
    for (let at = 2; at < 2 + expected; at++) words.push(BigInt(`0x${answer.slice(64 * at, 64 * at + 64)}`));
  }
  return words.length === count ? words : null;
}

function ticksOf({ tickSpacing }: PoolRecord, answers: readonly (string | null)[]): number[] {
  const words = loaded(answers, SCALARS + tickBitmapWords(tickSpacing).length);
  return words === null ? [] : initializedTicks(tickSpacing, words.slice(SCALARS));
}

export const storageAnchor: PoolAnchorPlan = {
  statedByEvents: false,
  calls: ({ pool, tickSpacing }, { factory }) => {
    const state = stateSlot(pool);
    const bitmap = tickBitmapWords(tickSpacing).map((word) => slotOf(encodeInt(word), state + BITMAP));
    return loadCalls(factory, [state, state + LIQUIDITY, ...bitmap]);
  },
  further: (record, { factory }, answers) => {
    const state = stateSlot(record.pool);
    return loadCalls(
      factory,
      ticksOf(record, answers).map((tick) => slotOf(encodeInt(tick), state + TICKS)),
    );
  },
  read: (record, _, answers, further) => {
    const words = loaded(answers, SCALARS + tickBitmapWords(record.tickSpacing).length);
    if (words === null) return null;
    const [slot0, liquidity] = words as [bigint, bigint];
    const sqrtPriceX96 = slot0 & MASK_160;
    if (sqrtPriceX96 === 0n) return null;
    const indexes = ticksOf(record, answers);
    const infos = loaded(further, indexes.length);
    if (infos === null) return null;
    const ticks = indexes.map((tick, n): TickRecord => {
      const info = infos[n]!;
      return { tick, liquidityGross: info & MASK_128, liquidityNet: BigInt.asIntN(128, info >> 128n) };
    });
    const tick = Number(BigInt.asIntN(24, (slot0 >> 160n) & MASK_24));
    const concentrated = { sqrtPriceX96, tick, liquidity: liquidity & MASK_128, ticks };
    return { pool: record.pool, reserve0: 0n, reserve1: 0n, concentrated };
  },
};
