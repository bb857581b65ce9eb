import { variableFee } from '#libs/chain/amm/billionth-fee.js';
import { binPrice, binPriceQ64 } from '#libs/chain/amm/bin-price.js';
import type { CurveSwap } from '#libs/chain/amm/curve-swap.js';
import type { Ratio } from '#libs/chain/amm/ratio.js';
import { orNull, u64 } from '#libs/chain/amm/refusal.js';
import { type ChainMoment, type KnownAccounts, readOwned } from '#libs/chain/chains/solana/accounts.js';
import { DerivedAddresses } from '#libs/chain/chains/solana/derived-addresses.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { accountPools } from '#libs/chain/market-ports/solana/account-pools.js';
import type { SolanaPoolState } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { least } from '#libs/core/bigint-order.js';
import { arrayOfBin, BINS_PER_ARRAY, BinArray, type DlmmPair, nextArrays, readExtension, readPair } from './account.js';
import { binExactIn, binExactOut, type SwapBin, type SwapSide } from './bin-swap.js';
import { meteoraDlmm } from './decode.js';
import { type BinSum, WholeBins } from './whole-bins.js';

/** Arrays of bins that a quote follows in each direction: what a swap passes within its compute limit. */
const ARRAYS_PER_SIDE = 3;

const MAX_BIN = 443_636;
/** Most that the program takes, in parts per billion. */
const MAX_FEE = 100_000_000n;
const BASIS_POINTS = 10_000;
const FUNCTION_UNDETERMINED = 0;
const FUNCTION_LIMIT_ORDERS = 2;
const FEE_ON_Y = 1;
const ENABLED = 0;
const ACTIVATION_BY_SLOT = 0;
/** Pair types with an activation point: permissioned, and customizable permissionless. */
const ACTIVATED = [1, 2];

/** Meteora DLMM: token A is X, token B is Y, spacing is the bin step. */
export const meteoraDlmmPools = accountPools({
  venue: meteoraDlmm.venue,
  program: meteoraDlmm.program,
  account: readPair,
  identity: (pair) => ({
    mintA: pair.mintX,
    mintB: pair.mintY,
    vaultA: pair.reserveX,
    vaultB: pair.reserveY,
    feePpm: Math.min(Number(baseFee(pair) / 1000n), 1_000_000),
    spacing: pair.binStep,
  }),
  needs(pair, { address: pool, known }) {
    if (solanaIds.parseAddress(pool) === null) return [];
    const start = arrayOfBin(pair.activeBin);
    const address = extensionAddress(pool);
    const extension = extensionOf(address, known);
    const sides = [true, false].map((down) => nextArrays(pair.bitmap, extension, start, down, ARRAYS_PER_SIDE));
    const arrays = sides.flatMap(({ indexes }) => indexes).map((index) => arrayAddress(pool, index));
    const wanted = sides.some(({ beyond }) => beyond) ? [address, ...arrays] : arrays;
    return [...new Set(wanted)];
  },
  read(pair, { address: pool, known }, at) {
    if (solanaIds.parseAddress(pool) === null || !trades(pair, at)) return null;
    const price = orNull(() => binPrice(pair.binStep, pair.activeBin));
    if (price === null) return null;
    const extension = extensionOf(extensionAddress(pool), known);
    const sides: Side[] = [];
    for (const down of [true, false]) {
      const { indexes } = nextArrays(pair.bitmap, extension, arrayOfBin(pair.activeBin), down, ARRAYS_PER_SIDE);
      const arrays: BinArray[] = [];
      for (const index of indexes) {
        const array = readOwned(known, arrayAddress(pool, index), meteoraDlmm.program, BinArray.read);
        if (array?.index !== index) return null;
        arrays.push(array);
      }
      sides.push(sideOf(pair, arrays, down, at));
    }
    return new DlmmState(price, sides[0]!, sides[1]!);
  },
});

interface Side extends SwapSide {
  /** Bins with an output, in the order in which a swap meets them. */
  readonly bins: readonly SwapBin[];
  readonly whole: WholeBins;
  /** All that the bins hold of the output. */
  readonly reserve: bigint;
}

class DlmmState implements SolanaPoolState {
  readonly reserveA: bigint;
  readonly reserveB: bigint;

  constructor(
    readonly spot: Ratio,
    private readonly down: Side,
    private readonly up: Side,
  ) {
    this.reserveA = up.reserve;
    this.reserveB = down.reserve;
  }

  exactIn(aToB: boolean, amountIn: bigint): CurveSwap | null {
    return orNull(() => {
      const side = aToB ? this.down : this.up;
      const { passed, sum } = side.whole.forInput(u64(amountIn));
      return walk(side, passed, sum, { name: 'amountIn', amount: amountIn, step: binExactIn });
    });
  }

  /**
   * Bins whose whole output is the fee are passed and paid, as by the program. Where the last bin gives from its makers and
   * from limit orders, each part is rounded on its own: the program's exact output rounds their sum and refuses when the
   * parts need one unit more. This input gives the output as an exact input.
   */
  exactOut(aToB: boolean, amountOut: bigint): CurveSwap | null {
    return orNull(() => {
      const side = aToB ? this.down : this.up;
      const { passed, sum } = side.whole.forOutput(u64(amountOut));
      return walk(side, passed, sum, { name: 'amountOut', amount: amountOut, step: binExactOut });
    });
  }
}

interface Walked {
  readonly name: 'amountIn' | 'amountOut';
  readonly amount: bigint;
  readonly step: typeof binExactIn;
}

/** Bin by bin behind the first ones, until nothing of the amount is left; null where the bins end before. */
function walk(side: Side, passed: number, sum: BinSum, { name, amount, step }: Walked): CurveSwap | null {
  let left = amount - sum[name];
  for (let i = passed; i < side.bins.length && left > 0n; i++) {
    const swap = step(side.bins[i]!, left, side);
    left -= swap[name];
    sum.add(swap);
  }
  if (left > 0n || sum.amountOut === 0n) return null;
  const { amountIn, amountOut, fee, steps } = sum;
  return { amountIn, amountOut, fee, feeSide: side.feeOnInput ? 'input' : 'output', steps };
}

function sideOf(pair: DlmmPair, arrays: readonly BinArray[], xToY: boolean, at: ChainMoment): Side {
  const withOrders =
    pair.functionType === FUNCTION_LIMIT_ORDERS || (pair.functionType === FUNCTION_UNDETERMINED && !pair.hasRewards);
  const rates = new Rates(pair, at);
  const bins: SwapBin[] = [];
  let reserve = 0n;
  for (const array of arrays) {
    for (let i = 0; i < BINS_PER_ARRAY; i++) {
      const place = xToY ? BINS_PER_ARRAY - 1 - i : i;
      const id = array.index * BINS_PER_ARRAY + place;
      if (xToY ? id > pair.activeBin : id < pair.activeBin) continue;
      if (Math.abs(id) > MAX_BIN) continue;
      const made = array.made(place, xToY);
      const orders = withOrders ? array.ordered(place, xToY) : [];
      const layers = made > 0n ? [made, ...orders] : orders;
      if (layers.length === 0) continue;
      const total = layers.reduce((sum, layer) => sum + layer, 0n);
      // Limit orders in a bin without a stored price: the program overflows, or fills them at another price.
      const computed = orders.length > 0 ? 0n : (orNull(() => binPriceQ64(pair.binStep, id)) ?? 0n);
      const price = array.price(place) || computed;
      bins.push({ id, price, rate: rates.at(id), layers, total });
      reserve += total;
    }
  }
  const side = { xToY, feeOnInput: pair.collectFeeMode !== FEE_ON_Y || !xToY };
  return { ...side, bins, whole: new WholeBins(bins, side), reserve };
}

/** Fee by bin: the further a swap moves from the reference bin, the higher. */
class Rates {
  private readonly base: bigint;
  private readonly reference: number;
  private readonly volatility: number;

  constructor(
    private readonly pair: DlmmPair,
    at: ChainMoment,
  ) {
    this.base = baseFee(pair);
    const elapsed = at.unixTime - pair.lastUpdate;
    const calm = elapsed >= BigInt(pair.filterPeriod);
    const decayed = elapsed >= BigInt(pair.decayPeriod);
    this.reference = calm ? pair.activeBin : pair.indexReference;
    this.volatility = !calm
      ? pair.volatilityReference
      : decayed
        ? 0
        : Math.floor((pair.volatility * pair.reductionFactor) / BASIS_POINTS);
  }

  at(bin: number): bigint {
    const { pair } = this;
    const moved = this.volatility + Math.abs(this.reference - bin) * BASIS_POINTS;
    const volatility = BigInt(Math.min(moved, pair.maxVolatility));
    const rate = this.base + variableFee(BigInt(pair.variableFeeControl), volatility, BigInt(pair.binStep));
    return least(rate, MAX_FEE);
  }
}

/** In parts per billion. */
const baseFee = ({ baseFactor, binStep, baseFeePower }: DlmmPair): bigint =>
  BigInt(baseFactor) * BigInt(binStep) * 10n * 10n ** BigInt(baseFeePower);

function trades(pair: DlmmPair, at: ChainMoment): boolean {
  if (pair.status !== ENABLED || Math.abs(pair.activeBin) > MAX_BIN) return false;
  if (!ACTIVATED.includes(pair.pairType)) return true;
  const now = pair.activationType === ACTIVATION_BY_SLOT ? at.slot : at.unixTime;
  return now >= pair.activationPoint;
}

export const extensionOf = (address: string, known: KnownAccounts): Uint8Array | null =>
  readOwned(known, address, meteoraDlmm.program, readExtension);

const extensions = new DerivedAddresses(meteoraDlmm.program, 'bitmap');
const arrays = new DerivedAddresses(meteoraDlmm.program, 'bin_array');

export const extensionAddress = (pool: string): string => extensions.of(pool);

/** Accounts of bins that a swap in one direction may touch, nearest first, and the extension of the bitmap if it exists. */
export function swapAccounts(pool: string, pair: DlmmPair, known: KnownAccounts, down: boolean) {
  const address = extensionAddress(pool);
  const extension = extensionOf(address, known);
  const { indexes } = nextArrays(pair.bitmap, extension, arrayOfBin(pair.activeBin), down, ARRAYS_PER_SIDE);
  return {
    extension: extension === null ? null : address,
    arrays: indexes.map((index) => arrayAddress(pool, index)),
  };
}

export function arrayAddress(pool: string, index: number): string {
  const seed = Buffer.alloc(8);
  seed.writeBigInt64LE(BigInt(index));
  return arrays.of(pool, seed);
}
