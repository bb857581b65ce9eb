import type { Hex } from '#libs/core/ids.js';

/**
 * Values of the topic `quote-receipts`, keyed by `id`: what one build promised and, once the swap was seen on chain, what
 * it gave. The state is a function of the surviving chain and of the receipts alone, so that every router that follows
 * the facts finds the same; of two values of one receipt the one of the later `asOf` counts. No key: dropped.
 */
export interface QuoteReceipt {
  /** Of the build: a quote may be built more than once. */
  id: string;
  quoteId: string;
  /** Whose key built it; null: the router asked for no keys. */
  account: string | null;
  chain: string;
  wallet: Hex;
  /** Who gets the output; on Solana the token account that was named for it, or the wallet. */
  recipient: Hex;
  /** As quoted: the native coin is eee…e on EVM chains, the wrapped one on Solana. */
  inputMint: Hex;
  outputMint: Hex;
  /** Which side is as it was asked for; `threshold` bounds the other one. Always `in` on EVM chains. */
  exact: 'in' | 'out';
  /** What leaves the wallet, the platform fee of an exact output included. Base units, as all amounts. */
  inAmount: bigint;
  /** What reaches the wallet by the quote, before any tax the token takes itself, after the platform fee of an exact input. */
  quotedOut: bigint;
  /** Paid and received in the build's simulation. */
  simulatedIn: bigint;
  simulatedOut: bigint;
  /** What the transaction enforces on chain: the least output of an exact input, the most input of an exact output. */
  threshold: bigint;
  slippageBps: number;
  /** The platform fee, of the side that is not exact; 0 on EVM chains. */
  feeBps: number;
  /** Id and label of the venue, the `dex` of answers; of all venues of a route over several, with + between them. */
  venueId: string;
  dex: string;
  /** One on EVM chains. */
  legs: ReceiptLeg[];
  quoteBlock: ReceiptBlock;
  /** Block of the simulation. */
  buildBlock: ReceiptBlock;
  /** Unix ms, the router's clock. */
  builtAt: number;
  /** Unix ms. A block after it, and above `lastHeight`, cannot hold the swap any more. */
  deadline: number;
  /** 0 where time alone decides. */
  lastHeight: number;
  /** Position in the facts at the build: the swap can only be in a later group. */
  builtAfter: FactsPosition;
  /** Position in the facts that this value was stated at. */
  asOf: FactsPosition;
  state: ReceiptState;
  /** Group that decided the state; null while built. */
  decidedAt: DecidedAt | null;
  /** The deciding block is sealed. */
  final: boolean;
  /** The swap as the chain has it; null unless executed. */
  executed: Execution | null;
}

/** A part of the exact amount, along its own pools. */
export interface ReceiptLeg {
  /** All legs together have 10,000. */
  shareBps: number;
  /** What goes in at its start, or of an exact output what comes out at its end. */
  amount: bigint;
  /** What its first pool may take of an exact input at least: less than `amount` where the venue takes fees outside the pool. */
  leastIn: bigint;
  /** In order, at least one. */
  hops: ReceiptHop[];
}

interface ReceiptHop {
  pool: Hex;
  /** Label of its venue. */
  dex: string;
}

export type ReceiptState = 'built' | 'executed' | 'expired';

export interface ReceiptBlock {
  number: number;
  /** Null on Solana, where quotes are of a slot. */
  hash: Hex | null;
}

export interface FactsPosition {
  epoch: number;
  seq: number;
}

export interface DecidedAt extends FactsPosition {
  height: number;
}

export interface Execution {
  tx: Hex;
  block: number;
  blockHash: Hex;
  /** Unix ms, the block's own. */
  time: number;
  /** What the wallet paid: on EVM chains what was quoted; on Solana what the first pools took, and the platform fee of an exact output. */
  inAmount: bigint;
  /** What the last pools gave, before a tax that the token takes itself, after the platform fee of an exact input. */
  outAmount: bigint;
}

export function isLater(a: FactsPosition, b: FactsPosition): boolean {
  return a.epoch === b.epoch ? a.seq > b.seq : a.epoch > b.epoch;
}

/** Every pool of the route, leg by leg. */
export const poolsOf = ({ legs }: Pick<QuoteReceipt, 'legs'>): Hex[] =>
  legs.flatMap(({ hops }) => hops.map(({ pool }) => pool));

/**
 * How far an amount is from another, in hundredths of a basis point, rounded towards zero; negative: less was received.
 * Null where nothing was promised.
 */
export function differenceHundredths(actual: bigint, promised: bigint): bigint | null {
  return promised === 0n ? null : ((actual - promised) * 1_000_000n) / promised;
}

/**
 * What the wallet gained or, negative, lost against what was promised: less received of an exact input, more paid for an
 * exact output. Null until the swap is executed.
 */
export function receiptDifference(
  { exact, executed, inAmount, quotedOut, simulatedIn, simulatedOut }: QuoteReceipt,
  promise: 'quote' | 'simulation',
): bigint | null {
  if (executed === null) return null;
  const [promisedIn, promisedOut] = promise === 'quote' ? [inAmount, quotedOut] : [simulatedIn, simulatedOut];
  if (exact === 'in') return differenceHundredths(executed.outAmount, promisedOut);
  const paidMore = differenceHundredths(executed.inAmount, promisedIn);
  return paidMore === null ? null : -paidMore;
}
