import type { ContractCall } from '#libs/chain/chains/evm/contract-reader.js';
import { encodeAddress, encodeInt, intWord, tickWord, uintWord } from '#libs/chain/chains/evm/words.js';
import type { PoolRecord, TickRecord } from '#libs/protocol/blocks.js';
import { answerWords } from '../answer-words.js';
import type { PoolAnchorPlan } from '../evm-venue.js';
import { initializedTicks, tickBitmapWords } from './tick-bitmap.js';

const SELECTORS = {
  slot0: '3850c7bd',
  liquidity: '1a686502',
  tickBitmap: '5339c296',
  ticks: 'f30dba93',
  balanceOf: '70a08231',
} as const;

/** Answers before those of the bitmap. */
const SCALARS = 4;

/**
 * State of a V3 pool: price, liquidity and token balances, then every initialized tick. `slot0Words`: how many words the
 * fork's slot0 has, of which the first two are the price and its tick.
 */
export function v3Anchor(slot0Words: number): PoolAnchorPlan {
  return {
    statedByEvents: false,
    calls: (pool) => {
      const holder = encodeAddress(pool.pool);
      return [
        { to: pool.pool, data: SELECTORS.slot0 },
        { to: pool.pool, data: SELECTORS.liquidity },
        { to: pool.token0, data: SELECTORS.balanceOf + holder },
        { to: pool.token1, data: SELECTORS.balanceOf + holder },
        ...tickBitmapWords(pool.tickSpacing).map((word) => ({
          to: pool.pool,
          data: SELECTORS.tickBitmap + encodeInt(word),
        })),
      ];
    },
    further: (pool, _, answers): ContractCall[] =>
      ticksOf(pool, answers).map((tick) => ({ to: pool.pool, data: SELECTORS.ticks + encodeInt(tick) })),
    read: (pool, _, answers, further) => {
      const slot0 = answerWords(answers[0], slot0Words);
      const liquidity = answerWords(answers[1], 1);
      const [balance0, balance1] = [answerWords(answers[2], 1), answerWords(answers[3], 1)];
      if (!slot0 || !liquidity || !balance0 || !balance1) return null;
      if (answers.slice(SCALARS).some((answer) => !answerWords(answer, 1))) return null;
      const tick = tickWord(slot0, 1);
      const initialized = ticksOf(pool, answers);
      if (tick === null || initialized.length !== further.length) return null;
      const ticks: TickRecord[] = [];
      for (const [n, position] of initialized.entries()) {
        const info = answerWords(further[n], 2);
        if (!info) return null;
        ticks.push({ tick: position, liquidityGross: uintWord(info, 0), liquidityNet: intWord(info, 1) });
      }
      return {
        pool: pool.pool,
        reserve0: uintWord(balance0, 0),
        reserve1: uintWord(balance1, 0),
        concentrated: { sqrtPriceX96: uintWord(slot0, 0), tick, liquidity: uintWord(liquidity, 0), ticks },
      };
    },
  };
}

function ticksOf({ tickSpacing }: PoolRecord, answers: readonly (string | null)[]): number[] {
  const words = answers.slice(SCALARS).map((answer) => {
    const word = answerWords(answer, 1);
    return word ? uintWord(word, 0) : 0n;
  });
  return initializedTicks(tickSpacing, words);
}
