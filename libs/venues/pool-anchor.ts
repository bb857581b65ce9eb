import type { ContractCall } from '#libs/chains/evm/contract-reader.js';
import { HexText } from '#libs/chains/evm/hex-text.js';
import { encodeAddress, encodeInt, intWord, tickWord, uintWord } from '#libs/chains/evm/words.js';
import type { PoolAnchor, PoolRecord, TickRecord } from '#libs/protocol/blocks.js';

/**
 * Reads a pool's whole state by view calls at one block: the reserves of a V2 pair; price, liquidity, every initialized
 * tick and the token balances of a V3 pool. A plan of two rounds, pure: the caller makes the calls.
 */
const SELECTORS = {
  getReserves: '0902f1ac',
  slot0: '3850c7bd',
  liquidity: '1a686502',
  tickBitmap: '5339c296',
  ticks: 'f30dba93',
  balanceOf: '70a08231',
} as const;

const MIN_TICK = -887_272;
const MAX_TICK = 887_272;

/** First round: everything that can be asked without knowing the state. */
export function anchorCalls(pool: PoolRecord): ContractCall[] {
  if (pool.kind === 'constant-product') return [{ to: pool.pool, data: SELECTORS.getReserves }];
  const holder = encodeAddress(pool.pool);
  const calls: ContractCall[] = [
    { to: pool.pool, data: SELECTORS.slot0 },
    { to: pool.pool, data: SELECTORS.liquidity },
    { to: pool.token0, data: SELECTORS.balanceOf + holder },
    { to: pool.token1, data: SELECTORS.balanceOf + holder },
  ];
  const { first, last } = bitmapWords(pool.tickSpacing);
  for (let word = first; word <= last; word++) {
    calls.push({ to: pool.pool, data: SELECTORS.tickBitmap + encodeInt(word) });
  }
  return calls;
}

/** Second round: the initialized ticks that the bitmap words name. Empty for V2. */
export function tickCalls(pool: PoolRecord, answers: readonly (string | null)[]): ContractCall[] {
  return initializedTicks(pool, answers).map((tick) => ({ to: pool.pool, data: SELECTORS.ticks + encodeInt(tick) }));
}

/** The anchor, or null when an answer is missing: then the state is not what a pool of this venue has. */
export function readAnchor(
  pool: PoolRecord,
  answers: readonly (string | null)[],
  tickAnswers: readonly (string | null)[],
): PoolAnchor | null {
  if (pool.kind === 'constant-product') {
    const reserves = words(answers[0], 3);
    if (!reserves) return null;
    return { pool: pool.pool, reserve0: uintWord(reserves, 0), reserve1: uintWord(reserves, 1), concentrated: null };
  }
  const slot0 = words(answers[0], 7);
  const liquidity = words(answers[1], 1);
  const [balance0, balance1] = [words(answers[2], 1), words(answers[3], 1)];
  if (!slot0 || !liquidity || !balance0 || !balance1) return null;
  if (answers.slice(4).some((answer) => !words(answer, 1))) return null;
  const tick = tickWord(slot0, 1);
  const initialized = initializedTicks(pool, answers);
  if (tick === null || initialized.length !== tickAnswers.length) return null;
  const ticks: TickRecord[] = [];
  for (const [n, position] of initialized.entries()) {
    const info = words(tickAnswers[n], 2);
    if (!info) return null;
    ticks.push({ tick: position, liquidityGross: uintWord(info, 0), liquidityNet: intWord(info, 1) });
  }
  return {
    pool: pool.pool,
    reserve0: uintWord(balance0, 0),
    reserve1: uintWord(balance1, 0),
    concentrated: { sqrtPriceX96: uintWord(slot0, 0), tick, liquidity: uintWord(liquidity, 0), ticks },
  };
}

function bitmapWords(tickSpacing: number): { first: number; last: number } {
  return {
    first: Math.floor(Math.trunc(MIN_TICK / tickSpacing) / 256),
    last: Math.floor(Math.trunc(MAX_TICK / tickSpacing) / 256),
  };
}

function initializedTicks(pool: PoolRecord, answers: readonly (string | null)[]): number[] {
  if (pool.kind === 'constant-product') return [];
  const { first } = bitmapWords(pool.tickSpacing);
  const ticks: number[] = [];
  for (const [n, answer] of answers.slice(4).entries()) {
    const word = words(answer, 1);
    let bits = word ? uintWord(word, 0) : 0n;
    for (let bit = 0; bits !== 0n; bit++, bits >>= 1n) {
      if (bits & 1n) ticks.push(((first + n) * 256 + bit) * pool.tickSpacing);
    }
  }
  return ticks;
}

/** At least `count` words. */
function words(answer: string | null | undefined, count: number): HexText | null {
  return answer && answer.length >= count * 64 ? HexText.read(`0x${answer}`) : null;
}
