import type { Hex } from '#libs/core/ids.js';
import type { E18, E36 } from '#libs/core/money.js';
import type { BlockProof, PoolRecord, ReferenceSet, TickRecord, TokenRecord } from './blocks.js';
import type { Envelope } from './envelope.js';

/**
 * `facts.<chain>.e<epoch>.f<foldVersion>`: a pure fold of `blocks`, exactly one group per blocks group with the same
 * envelope and seq. `inputHash` is the hash of the encoded blocks group it was folded from.
 */
export type FactsGroup = FactsEpoch | FactsBlock | FactsRetract | FactsFinalize;

/** What a group says before its rows. */
export type FactsHead = FactsEnvelope &
  (
    | { kind: 'epoch' }
    | { kind: 'block'; proof?: BlockProof }
    | { kind: 'retract'; fromSeq: number; proof?: BlockProof }
    | { kind: 'finalize'; finalizedHeight: number }
  );

interface FactsEnvelope extends Envelope {
  inputHash: Hex;
}

export interface FactsEpoch extends FactsEnvelope {
  kind: 'epoch';
  reference: ReferenceSet;
}

/**
 * What a block or a retraction changed, absolute, so that no reader needs undo knowledge. Each keyed projection adds its rows
 * with `declare module`.
 */
export interface ChangedRows {
  poolStates: PoolStateFact[];
  /** Tokens whose spot changed. */
  prices: PriceFact[];
  /** USD prices of the coin and the stables, all of them when any changed. */
  references: ReferencePrice[];
}

export interface FactsBlock extends FactsEnvelope, ChangedRows {
  kind: 'block';
  /** How the block was checked; absent where its source did not say. */
  proof?: BlockProof;
  trades: TradeFact[];
  transfers: TransferFact[];
  /** Tokens whose metadata became known in this block, or more of it: each with all that is known from here on. */
  tokens: TokenRecord[];
  /** Pools that became known in this block. */
  pools: PoolRecord[];
}

/** The chain goes back to `height`: holds the restored state of everything that the retracted blocks changed. */
export interface FactsRetract extends FactsEnvelope, ChangedRows {
  kind: 'retract';
  fromSeq: number;
  /** Of the block that is the head again. */
  proof?: BlockProof;
  /** Pools and tokens first seen in retracted blocks: they are unknown again. */
  removedPools: Hex[];
  removedTokens: Hex[];
  /** Tokens of which retracted blocks had said more: with what is known again. Tables need none: their rows are retracted. */
  restoredTokens?: TokenRecord[];
}

export interface FactsFinalize extends FactsEnvelope {
  kind: 'finalize';
  finalizedHeight: number;
}

/**
 * Why a trade may not move open, high, low and close of the base token's merged candles: the first that applies, but the last goes
 * before all others. New ones are added at the end. `unknown`: facts of a version without reasons.
 */
export const uncountedReasons = [
  'no_price',
  'dust',
  'hooked',
  'unanchored',
  'quote_level',
  'shallow',
  'far_from_spot',
  'reverted',
] as const;

export type Uncounted = (typeof uncountedReasons)[number] | 'unknown';

/**
 * One swap, stored once. `base` is the token of the higher price level, the lower address on a tie; `side` is from the
 * base token's view. Reference prices are those at the end of the previous block.
 */
export interface TradeFact {
  ordinal: number;
  /** Number of this trade inside its transaction, from 0: with `tx` its id, stable when the tx is mined again. */
  txOrdinal: number;
  tx: Hex;
  /** Whose balances the swap changed. */
  wallet: Hex;
  /** Who sent the transaction; null in facts of before it was recorded. */
  sender: Hex | null;
  pool: Hex;
  venue: string;
  base: Hex;
  quote: Hex;
  baseDecimals: number;
  quoteDecimals: number;
  side: 'buy' | 'sell';
  baseAmount: bigint;
  quoteAmount: bigint;
  /** Trade price of one whole base token in USD, and the coin's USD price used; null when the quote has no price. */
  priceUsd: E36 | null;
  coinUsd: E36 | null;
  volumeUsd: E18 | null;
  volumeCoin: E18 | null;
  /** Null when it may move open, high, low and close of the base token's merged candles. `reverted` volume is in no sum but that of loops. */
  uncounted: Uncounted | null;
}

export interface TransferFact {
  ordinal: number;
  tx: Hex;
  token: Hex;
  from: Hex;
  to: Hex;
  amount: bigint;
}

export interface PoolStateFact {
  pool: Hex;
  /** Constant product: reserves. Concentrated: token balances of the pool. */
  reserve0: bigint;
  reserve1: bigint;
  /** Concentrated only. `ticks` holds the ticks that changed (gross 0: gone), or all of them when `ticksComplete`. */
  concentrated: {
    sqrtPriceX96: bigint;
    tick: number;
    liquidity: bigint;
    ticks: TickRecord[];
    ticksComplete: boolean;
  } | null;
  /** False while the pool was first seen in mid-life and not anchored yet: its amounts are not to be quoted. */
  anchored: boolean;
  /** Not null: what the log says of the pool cannot be. Then it is not anchored and all of its numbers are zero. */
  setApart: SetApart | null;
}

/** Which of a pool's numbers cannot be. */
export type SetApart = 'amounts' | 'price' | 'liquidity' | 'ticks';

/**
 * What backs a token's price at the end of the block. Its USD price follows by libs/pipeline/fold/token-values. All null: the token has no
 * price any more.
 */
export interface PriceFact {
  token: Hex;
  /** The deepest of the pools that count, its other token, and its spot: whole quote tokens for one whole token. */
  pool: Hex | null;
  quote: Hex | null;
  spot: E36 | null;
  /** 1 coin, 2 priced by level 0-1, 3 priced by level 2; 4: no price. Stables are 0 and have no row. */
  level: number;
  /** All pools that count, and how deep they are (libs/pipeline/fold/backing). */
  backing: string | null;
}

/** USD price of the coin (by its wrapped token) or of a stable. */
export interface ReferencePrice {
  token: Hex;
  usd: E36 | null;
}
