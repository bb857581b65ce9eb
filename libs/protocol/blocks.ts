import type { Hex } from '#libs/core/ids.js';
import type { Envelope } from './envelope.js';

/**
 * `blocks.<chain>.e<epoch>`: raw facts as the source saw them, decoded and family-neutral. The truth from which all
 * else is rebuilt. Everything a fold needs is in here: it has no other input.
 */
export type BlocksGroup = EpochGroup | BlockGroup | RetractGroup | FinalizeGroup;

/** First record of an epoch (seq 0): the reference sets that the fold depends on. */
export interface EpochGroup extends Envelope {
  kind: 'epoch';
  reference: ReferenceSet;
}

export interface ReferenceSet {
  family: 'evm' | 'solana';
  genesisHash: Hex;
  startHeight: number;
  decoderVersion: number;
  /** Wrapped form of the chain's coin; the coin is priced through it. */
  coin: { token: Hex; symbol: string; decimals: number };
  stables: Hex[];
  rules: PriceRules;
}

export interface PriceRules {
  /** A pool with less quote-side value than this sets no price (decision 17). */
  minQuoteUsd: number;
  /** A stable is off its peg when two pools agree on more than this many basis points. */
  depegBps: number;
  /** A trade this many times away from its pool's own spot moves no candle. */
  spotFactor: number;
  /** Trades below this many USD cents move no candle. */
  dustCents: number;
}

/**
 * How a block's content was checked. `full`: all of it, against what its header commits to. `sampled`: that nothing is left
 * out, and all of some blocks. `none`: it is one node's word.
 */
export const blockProofs = ['none', 'sampled', 'full'] as const;

export type BlockProof = (typeof blockProofs)[number];

export interface BlockGroup extends Envelope {
  kind: 'block';
  /** Where and when this process saw it: operations only, never in a table hash. */
  source: 'stream' | 'http' | 'history';
  observedAt: number;
  /** Absent in blocks of programs that did not say. */
  proof?: BlockProof;
  /** No node has all of it: it was taken without the rest by the operator's word. */
  incomplete?: true;
  txs: TxRecord[];
  tokens: TokenRecord[];
  pools: PoolRecord[];
  events: ChainEvent[];
  anchors: PoolAnchor[];
  /** What the chain said that wallets held at the end of the block before this one. Absent where it was not asked. */
  samples?: BalanceSample[];
  /** Logs that no decoder of this program reads, kept for those to come. Absent where there are none. */
  logs?: RawLog[];
}

/** An answer of `balanceOf` at the end of the block before. */
export interface BalanceSample {
  token: Hex;
  wallet: Hex;
  amount: bigint;
}

/** A log of an EVM chain as it was sent. `tx` indexes BlockGroup.txs, `ordinal` is its index in the block. */
export interface RawLog {
  tx: number;
  ordinal: number;
  address: Hex;
  topics: Hex[];
  data: Hex;
}

/** A transaction that has at least one event or kept log here. `index` is its position in the block. */
export interface TxRecord {
  id: Hex;
  index: number;
  sender: Hex;
}

/**
 * Metadata as the chain answered; null where it reverted or was absurd. Recorded before the first event that needs it, and again
 * by a later block once more of it is known. What is known never changes: a later record only fills what was null.
 */
export interface TokenRecord {
  token: Hex;
  decimals: number | null;
  symbol: string | null;
  name: string | null;
  totalSupply: bigint | null;
}

/**
 * What a pool's spot follows from. `stable`: its reserves on Solidly's curve for tokens of like worth. `curve`: a bonding
 * curve of a launchpad. `shared`: concentrated liquidity inside one contract that holds the tokens of all its pools.
 * `hooked`: the same, where code of the pool's own may change what a swap pays.
 */
export type PoolKind = 'constant-product' | 'concentrated' | 'curve' | 'stable' | 'shared' | 'hooked';

export interface PoolKindTraits {
  /** Whether the pool's events state its price; otherwise it follows from the reserves. */
  readonly statesPrice: boolean;
  /** How its token amounts are known: from what flows in and out, or from its liquidity and price alone. */
  readonly amounts: 'flows' | 'liquidity';
  /** Which of its depths set a price: from a least value on, any at all, or none. */
  readonly setsPrice: 'deep' | 'always' | 'never';
  /** Whether its liquidity is in ranges of the price, so that not all that it holds is near the price. */
  readonly inRanges: boolean;
}

export const poolKinds: Readonly<Record<PoolKind, PoolKindTraits>> = {
  'constant-product': { statesPrice: false, amounts: 'flows', setsPrice: 'deep', inRanges: false },
  concentrated: { statesPrice: true, amounts: 'flows', setsPrice: 'deep', inRanges: true },
  curve: { statesPrice: true, amounts: 'flows', setsPrice: 'always', inRanges: false },
  stable: { statesPrice: false, amounts: 'flows', setsPrice: 'deep', inRanges: false },
  shared: { statesPrice: true, amounts: 'liquidity', setsPrice: 'deep', inRanges: true },
  hooked: { statesPrice: true, amounts: 'liquidity', setsPrice: 'never', inRanges: true },
};

export const statesPrice = (kind: PoolKind): boolean => poolKinds[kind].statesPrice;

export interface PoolRecord {
  pool: Hex;
  /** Venue id inside the chain, e.g. `uniswap-v2`; a folder of libs/chain/venues. */
  venue: string;
  kind: PoolKind;
  token0: Hex;
  token1: Hex;
  /** Swap fee in parts per million; 0 where each swap has its own. */
  feePpm: number;
  /** 0 where there are no ticks; the bin step where the venue has bins. */
  tickSpacing: number;
  /** True when the factory's creation event is in this block: then its state is known from nothing on. */
  created: boolean;
}

/**
 * Ordinals are unique inside the block and ascending: the log index on EVM, a count of the block's events on Solana. `tx`
 * indexes BlockGroup.txs.
 */
export type ChainEvent =
  | SwapEvent
  | ReservesEvent
  | LiquidityEvent
  | PoolFlowEvent
  | InitializeEvent
  | TransferEvent
  | PoolVaultsEvent
  | VaultsEvent
  | AuthorityEvent
  | MetadataEvent
  | LaunchEvent
  | PaymentEvent;

interface EventBase {
  tx: number;
  ordinal: number;
}

/** Signed pool deltas: positive went into the pool. */
export interface SwapEvent extends EventBase {
  kind: 'swap';
  pool: Hex;
  amount0: bigint;
  amount1: bigint;
  /** EVM: the caller of the pool. Solana: the wallet behind the swap, which a transaction with several signers can have several of. */
  sender: Hex;
  recipient: Hex;
  /**
   * State after the swap; null on constant product. A venue that states its price alone (every curve, and pools of Solana)
   * leaves liquidity 0, and where it has no ticks or bins the tick too.
   */
  after: { sqrtPriceX96: bigint; liquidity: bigint; tick: number } | null;
}

/** Absolute reserves after an action of a constant-product pool of an EVM chain. */
export interface ReservesEvent extends EventBase {
  kind: 'reserves';
  pool: Hex;
  reserve0: bigint;
  reserve1: bigint;
}

/**
 * Liquidity added (delta > 0) or removed (delta < 0). On concentrated pools a removal's amounts stay in the pool
 * until collected, so only an addition moves balances. On constant product ticks are 0, liquidityDelta is 0 and the
 * sign of the amounts tells the direction (positive went into the pool). Where the chain's event states no amounts
 * (`shared` pools) they are 0. On Solana amounts are those that the position gained or lost, and moved at once; a change of
 * a concentrated pool with liquidityDelta 0 does not tell where it was (bins, logs that were cut), one without amounts
 * either may have been any.
 */
export interface LiquidityEvent extends EventBase {
  kind: 'liquidity';
  pool: Hex;
  owner: Hex;
  tickLower: number;
  tickUpper: number;
  liquidityDelta: bigint;
  amount0: bigint;
  amount1: bigint;
}

/** Tokens that entered (+) or left (−) a concentrated pool other than by swaps and additions: collect, collectProtocol, flash fees. */
export interface PoolFlowEvent extends EventBase {
  kind: 'flow';
  pool: Hex;
  amount0: bigint;
  amount1: bigint;
}

export interface InitializeEvent extends EventBase {
  kind: 'initialize';
  pool: Hex;
  sqrtPriceX96: bigint;
  tick: number;
}

/** The token accounts that hold a pool's reserves; recorded with the pool where it has such accounts. */
export interface PoolVaultsEvent extends EventBase {
  kind: 'pool-vaults';
  pool: Hex;
  vault0: Hex;
  vault1: Hex;
}

/** Absolute balances of a pool's two vaults after a transaction; null where it did not touch that vault. */
export interface VaultsEvent extends EventBase {
  kind: 'vaults';
  pool: Hex;
  reserve0: bigint | null;
  reserve1: bigint | null;
}

export type AuthorityRole = 'mint' | 'freeze' | 'metadata';

/** Who may do this with a token from here on; null: no address any more. Recorded with the token and at every change. */
export interface AuthorityEvent extends EventBase {
  kind: 'authority';
  token: Hex;
  role: AuthorityRole;
  authority: Hex | null;
}

/** What a token's account and metadata say in addition to its TokenRecord; recorded with the token and at every change. */
export interface MetadataEvent extends EventBase {
  kind: 'metadata';
  token: Hex;
  /** Where its description and image are; null when it names none. */
  uri: string | null;
  /** Token program or standard, e.g. `token-2022`. */
  standard: string;
  /** What the token takes of every transfer, in basis points; 0 for none. */
  transferFeeBps: number;
  /** Names of its extensions, ascending. */
  extensions: string[];
}

/** A step in the launch of a token on a launchpad's curve. */
export interface LaunchEvent extends EventBase {
  kind: 'launch';
  /** Name in the one list of launchpads. */
  launchpad: string;
  step: 'created' | 'progress' | 'graduated';
  token: Hex;
  curve: Hex;
  /** Creation: its creator. Graduation: the pool it trades in from now on, where known. Else null. */
  party: Hex | null;
  /** How far the curve is towards graduation after the step: 0 at creation, 1,000,000 at graduation. */
  progressPpm: number;
}

/** On Solana, where wallets are owners of token accounts: as balances moved; what none of them gave or got is the zero id's. */
export interface TransferEvent extends EventBase {
  kind: 'transfer';
  token: Hex;
  from: Hex;
  to: Hex;
  amount: bigint;
}

/**
 * What a wallet paid in the coin of the chain, the coin itself and its wrapped form together, within a transaction in which it
 * traded it, or in which it traded and which it paid for; recorded where the chain shows it, which Solana does.
 */
export interface PaymentEvent extends EventBase {
  kind: 'payment';
  wallet: Hex;
  /** With all fees of venues, creators and routers, without deposits for accounts; less than 0 where it got more. */
  paid: bigint;
  /** For the transaction itself: its fee, and tips to validators. */
  fees: bigint;
}

/**
 * A pool's whole state at the end of this very block, read from the node: on EVM by block hash, on Solana from accounts of a slot
 * since which nothing named the pool.
 */
export interface PoolAnchor {
  pool: Hex;
  /** Constant product: the reserves. Concentrated: the pool's token balances. */
  reserve0: bigint;
  reserve1: bigint;
  /** Concentrated only; null on constant product. */
  concentrated: { sqrtPriceX96: bigint; tick: number; liquidity: bigint; ticks: TickRecord[] } | null;
  /** Of a pool with bins: what is between half and twice this price. Then `concentrated` is null. */
  near?: NearAmounts;
}

export interface NearAmounts {
  sqrtPriceX96: bigint;
  amount0: bigint;
  amount1: bigint;
}

export interface TickRecord {
  tick: number;
  liquidityGross: bigint;
  liquidityNet: bigint;
}

/** Blocks with a height above `height` are gone: exactly the surviving ones in [fromSeq, seq − 1]. */
export interface RetractGroup extends Envelope {
  kind: 'retract';
  fromSeq: number;
}

/** Blocks up to `height` are sealed (our word); `finalizedHeight` is the chain's own finality and may be lower. */
export interface FinalizeGroup extends Envelope {
  kind: 'finalize';
  finalizedHeight: number;
}
