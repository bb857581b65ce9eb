import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import type { Hex } from '#libs/core/ids.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { SolanaSwapOrder } from '../../solana/model/swap-order.js';
import { receiptOfBuild } from '../../solana/receipts/receipt-of-build.js';
import { type BuildReceipt, type SignedTx, trade, uuid, type WorldBuilds, type WorldHead } from './receipt-world.js';

/**
 * Builds of Solana: one or two legs of one or two pools, either side exact, a platform fee or none, and pools outside which fees
 * are paid. Signed transactions have the amounts of the build, or nearly; legs out of order or missing; swaps of others between.
 */
const id = (letter: string, n: number): Hex => letter.repeat(63) + n.toString(16);
const wallets = [id('a', 1), id('a', 2)];
const [coin, via, token] = [chainSpec('sol')!.wrappedNative.token, id('b', 1), id('b', 2)];
/** Paths from the coin to the token, each over pools of its own. */
const paths = [
  { pools: [id('d', 1)], tokens: [coin, token] },
  { pools: [id('d', 2), id('d', 3)], tokens: [coin, via, token] },
  { pools: [id('d', 4)], tokens: [coin, token] },
] as const;
/** Fees are paid outside it. */
const OUTSIDE = paths[2].pools[0];
const WHOLE = 10_000;

interface Leg {
  readonly shareBps: number;
  readonly pools: readonly Hex[];
  readonly tokens: readonly Hex[];
}

interface Terms {
  readonly exact: 'in' | 'out';
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly feeBps: number;
}

export class SolanaBuilds implements WorldBuilds {
  readonly chain = 'sol';
  readonly family = 'solana';
  readonly coin = coin;
  readonly txBytes = 64;
  /** Slots without a block are left out. */
  readonly heights = [1, 2, 60, 150];

  constructor(private readonly random: SeededRandom) {}

  build(head: WorldHead): { receipt: BuildReceipt; signed: Omit<SignedTx, 'tx'>[] } {
    const { random } = this;
    const legs = this.legs();
    const wallet = random.pick(wallets);
    const exact = random.pick(['in', 'out'] as const);
    const feeBps = random.pick([0, 0, 500]);
    const [amountIn, amountOut] = [BigInt(random.pick([1_000, 1_001, 2_000])), BigInt(random.pick([1_000, 1_003]))];
    const threshold = exact === 'in' ? (amountOut * 9n) / 10n : (amountIn * 11n) / 10n;
    const hop = (pool: Hex, n: number, tokens: readonly Hex[]) => ({
      ...{ pool, venue: '', label: 'Some venue', tokenIn: tokens[n]!, tokenOut: tokens[n + 1]! },
      ...{ amountIn: 0n, amountOut: 0n, fee: 0n, feeSide: 'input' as const },
    });
    const order: SolanaSwapOrder = {
      swap: {
        ...{ exact, inputMint: coin, outputMint: token, amountIn, amountOut, threshold, slippageBps: 1_000 },
        ...{ feeBps, feeAmount: 0n },
        legs: legs.map(({ shareBps, pools, tokens }) => ({
          shareBps,
          hops: pools.map((pool, n) => hop(pool, n, tokens)),
        })),
      },
      ...{ wallet, wraps: true, feeAccount: null, destination: null },
      priority: { kind: 'lamports', lamports: 0n },
    };
    const simulation = { slot: head.height, amountIn, amountOut, feeAmount: 0n, units: 1, loadedBytes: 1 };
    const build = {
      ...{ chain: this.chain, built: { order, simulation } },
      quote: { quoteId: uuid(random), contextSlot: head.height },
      venueOf: (pool: Hex) => ({ id: 'sol-some', label: 'Some venue', feesOutside: pool === OUTSIDE }),
    };
    const terms = { exact, amountIn, amountOut, feeBps };
    return {
      receipt: (account, ...at) => receiptOfBuild(build, account, ...at),
      signed: Array.from({ length: random.pick([0, 1, 1, 2]) }, () => this.sign(legs, wallet, terms)),
    };
  }

  private legs(): Leg[] {
    const { random } = this;
    const first = random.pick(paths);
    if (random.chance(0.5)) return [{ shareBps: WHOLE, ...first }];
    const second = random.pick(paths.filter((path) => path !== first));
    return [
      { shareBps: 3_333, ...first },
      { shareBps: WHOLE - 3_333, ...second },
    ];
  }

  /** The amounts of each leg as the swap program divides them, moved a little on the side that is not exact. */
  private sign(legs: readonly Leg[], wallet: Hex, { exact, amountIn, amountOut, feeBps }: Terms): Omit<SignedTx, 'tx'> {
    const { random } = this;
    const roll = random.next();
    const off = roll < 0.1 ? 1n : 0n;
    // Far past the threshold now and then; the fee is between the pools and the wallet.
    const bent = (amount: bigint) => (roll > 0.9 ? (exact === 'in' ? amount / 2n : amount * 2n) : amount);
    const atPools =
      exact === 'in'
        ? { in: amountIn - off, out: bent((amountOut * BigInt(WHOLE)) / BigInt(WHOLE - feeBps)) }
        : { in: bent((amountIn * BigInt(WHOLE)) / BigInt(WHOLE + feeBps)), out: amountOut - off };
    let left = atPools;
    const written = legs.map(({ shareBps, pools, tokens }, n) => {
      const part = (amount: bigint) => (amount * BigInt(shareBps)) / BigInt(WHOLE);
      const last = n + 1 === legs.length;
      const moved = { in: last ? left.in : part(atPools.in), out: last ? left.out : part(atPools.out) };
      left = { in: left.in - moved.in, out: left.out - moved.out };
      const aside = exact === 'in' && pools[0] === OUTSIDE ? moved.in / BigInt(random.pick([5, 20, 100])) : 0n;
      return pools.map((pool, at) => {
        const into = at === 0 ? moved.in - aside : 50n;
        const out = at + 1 === pools.length ? moved.out : 50n;
        return trade(random, wallet, pool, [tokens[at]!, tokens[at + 1]!], [into, out]);
      });
    });
    if (random.chance(0.05)) written.reverse();
    if (random.chance(0.05)) written.pop();
    const trades = written.flat();
    const between = random.int(0, trades.length);
    if (random.chance(0.15))
      trades.splice(between, 0, trade(random, wallet, paths[0].pools[0], [coin, token], [7n, 7n]));
    if (random.chance(0.15)) trades.splice(between, 0, trade(random, wallets[0]!, id('d', 9), [coin, via], [3n, 3n]));
    return { trades, transfers: [] };
  }
}
