import type { ContractCall } from '#libs/chain/chains/evm/contract-reader.js';
import type { Hex } from '#libs/core/ids.js';

/** A chain of pools of one venue. */
export interface SwapPath {
  /** The token that goes in, those between, and the token that comes out. */
  readonly tokens: readonly Hex[];
  /** Fee of each pool in parts per million. */
  readonly fees: readonly number[];
}

/** Where the venue's contracts are that swaps go through. */
interface SwapContracts {
  /** Takes the swaps and is the spender of approvals. */
  readonly router: Hex;
  readonly quoter?: { readonly address: Hex };
}

/**
 * How the router pays: `plain` by the amounts that it computed; `by-balance` by what arrived, so that a token of the path
 * may keep a part of each transfer.
 */
export type SwapForm = 'plain' | 'by-balance';

/** One swap. */
export interface EvmSwapOrder extends SwapPath {
  readonly amountIn: bigint;
  /** The least that must arrive. */
  readonly floor: bigint;
  readonly recipient: Hex;
  /** Unix seconds. */
  readonly deadline: bigint;
  /** The coin goes in, or comes out, in place of the wrapped token at that end of the path. */
  readonly nativeIn: boolean;
  readonly nativeOut: boolean;
}

/**
 * What the parts of a swap cost in gas, measured from receipts on local chains: plain tokens, an allowance of exactly the input,
 * balances that are there before and after. Sums of it are checked against receipts.
 */
export interface SwapGas {
  /** Everything but the pools: the 21,000, call data, the router, the allowance. */
  readonly transaction: bigint;
  /** A pool with the transfer into it or out of it, its price within one tick. */
  readonly pool: bigint;
  /** More where the coin goes in, or comes out, in place of the wrapped token. */
  readonly nativeIn: bigint;
  readonly nativeOut: bigint;
  /** What a pool in ranges costs more; null: the venue has none. */
  readonly ticks: TickGas | null;
}

export interface TickGas {
  /** The price ends in another tick: the pool writes an observation. */
  readonly moved: bigint;
  /** Each further word of the bitmap of ticks. */
  readonly word: bigint;
  /** Each initialised tick on the way. */
  readonly crossed: bigint;
  /** The first of them reads an observation too. */
  readonly firstCrossed: bigint;
}

/** A question about the factory of a venue; it must answer something other than zero. */
interface FactoryCheck {
  /** Call data. */
  readonly data: Hex;
  /** What is wrong when it answers zero: follows "factory 0x…". */
  readonly problem: string;
}

/**
 * How swaps over the pools of a venue are priced by the chain itself, made and read: the routing side of a venue. Pure:
 * the caller makes the calls. Ids and data have no prefix.
 */
export interface SwapRouting {
  readonly forms: readonly SwapForm[];
  readonly gas: SwapGas;
  /** Added to the gas limit of a swap for each pool: what the state may cost more when it is mined. */
  readonly spareGasPerHop: bigint;
  /**
   * A view quotes: it moves no token, so that it can be asked inside a simulation and a revert speaks about the pools.
   * Otherwise the contract swaps and reverts, and a token of the path may be what refuses.
   */
  readonly quotesByView: boolean;
  quoteCall(contracts: SwapContracts, path: SwapPath, amountIn: bigint): ContractCall;
  /** What the contract says the path gives; null: no quote of this path. */
  readQuote(answer: Hex, path: SwapPath): bigint | null;
  /** Call data of the swap for the venue's router. */
  swapData(order: EvmSwapOrder, form: SwapForm): Hex;
  /** What the swap's own answer says it gave; null where it says nothing. */
  statedOutput(answer: Hex, form: SwapForm): bigint | null;
  factoryChecks(): readonly FactoryCheck[];
}
