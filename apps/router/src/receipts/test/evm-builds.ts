import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import type { Hex } from '#libs/core/ids.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { PricedQuote } from '../../evm/model/evm-quote.js';
import type { EvmSwapPlan } from '../../evm/model/swap-plan.js';
import { NATIVE_MINT } from '../../evm/native-coin.js';
import { receiptOfBuild } from '../../evm/receipts/receipt-of-build.js';
import { type BuildReceipt, type SignedTx, trade, uuid, type WorldBuilds, type WorldHead } from './receipt-world.js';

/** Builds of an EVM chain: one path, its input exact; tokens that keep a tax, and other swaps between those of the route. */
const WRAPPED: Hex = 'c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const id = (letter: string, n: number): Hex => letter.repeat(39) + n.toString(16);
const wallets = [id('a', 1), id('a', 2), id('a', 3)];
/** tokens[0] is the wrapped coin. A pool trades two of them. */
const tokens = [WRAPPED, id('b', 1), id('b', 2)];
const pools = [
  { pool: id('d', 1), tokens: [0, 1] },
  { pool: id('d', 2), tokens: [1, 2] },
  { pool: id('d', 3), tokens: [0, 2] },
  { pool: id('d', 4), tokens: [0, 1] },
] as const;
const DEADLINE_STEP_MS = 12_000;

interface Route {
  pools: Hex[];
  path: Hex[];
}

export class EvmBuilds implements WorldBuilds {
  readonly chain = 'eth';
  readonly family = 'evm';
  readonly coin = WRAPPED;
  readonly txBytes = 32;
  readonly heights = [1];

  constructor(private readonly random: SeededRandom) {}

  build(head: WorldHead): { receipt: BuildReceipt; signed: Omit<SignedTx, 'tx'>[] } {
    const { random } = this;
    const route = this.route();
    const wallet = random.pick(wallets);
    const inAmount = BigInt(random.pick([100, 100, 200]));
    const quotedOut = BigInt(random.int(90, 110));
    const floor = (quotedOut * 9n) / 10n;
    const mint = (token: Hex) => (token === WRAPPED && random.chance(0.5) ? NATIVE_MINT : token);
    const block = { number: head.height, hash: head.hash.padStart(64, '0') };
    const deadline = head.time + random.int(1, 8) * DEADLINE_STEP_MS;
    const [inputMint, outputMint] = [mint(route.path[0]!), mint(route.path[route.path.length - 1]!)];
    const priced = {
      ...{ inputMint, outputMint, amountIn: inAmount, amountOut: quotedOut, slippageBps: 1_000 },
      chain: chainSpec(this.chain)!,
      head: { height: block.number, hash: block.hash },
      route: { venue: 'uniswap-v2', hops: route.pools.map((pool) => ({ pool: { id: pool } })) },
    } as unknown as PricedQuote;
    const quote = { quoteId: uuid(random), seconds: 0, expiresAt: deadline, priced };
    const request = { quote, wallet, recipient: null, slippageBps: null, deadlineSeconds: 300 };
    const plan = { wallet, recipient: wallet, floor, slippageBps: 1_000, pools: route.pools } as unknown as EvmSwapPlan;
    const simulation = { block, received: quotedOut - BigInt(random.int(0, 3)), gasUsed: 1n };
    const built = { request, plan, simulation, deadline: BigInt(deadline) / 1_000n };
    return {
      receipt: (account, ...at) => receiptOfBuild(built, account, ...at),
      signed: Array.from({ length: random.pick([0, 1, 1, 2]) }, () => this.sign(route, wallet, inAmount, quotedOut)),
    };
  }

  private route(): Route {
    const { random } = this;
    const first = random.pick(pools);
    const [from, via] = random.chance(0.5) ? first.tokens : [first.tokens[1], first.tokens[0]];
    const second = pools.find((pool) => pool !== first && (pool.tokens as readonly number[]).includes(via));
    if (second === undefined || random.chance(0.6)) return { pools: [first.pool], path: [tokens[from]!, tokens[via]!] };
    const to = second.tokens[0] === via ? second.tokens[1] : second.tokens[0];
    return { pools: [first.pool, second.pool], path: [tokens[from]!, tokens[via]!, tokens[to]!] };
  }

  private sign(route: Route, wallet: Hex, amount: bigint, quoted: bigint): Omit<SignedTx, 'tx'> {
    const { random } = this;
    const roll = random.next();
    const taxed = roll < 0.15;
    const put = taxed ? (amount * 95n) / 100n : roll < 0.25 ? amount - 1n : amount;
    const given = roll > 0.9 ? (quoted * 8n) / 10n : quoted + BigInt(random.int(-5, 5));
    const signer = roll > 0.85 && roll < 0.9 ? random.pick(wallets) : wallet;
    const swap = (pool: Hex, between: readonly [Hex, Hex], amounts: readonly [bigint, bigint]) =>
      trade(random, signer, pool, between, amounts);
    const trades = route.pools.map((pool, hop) => {
      const into = hop === 0 ? put : 50n;
      const out = hop === route.pools.length - 1 ? given : 50n;
      return swap(pool, [route.path[hop]!, route.path[hop + 1]!], [into, out]);
    });
    if (random.chance(0.15)) trades.unshift(swap(route.pools[0]!, [route.path[0]!, route.path[1]!], [7n, 7n]));
    if (random.chance(0.1)) trades.splice(1, 0, swap(pools[3].pool, [tokens[1]!, tokens[0]!], [3n, 3n]));
    const token = route.path[0]!;
    const pay = (to: Hex, paid: bigint) => ({ token, from: wallet, to, amount: paid });
    const transfers = taxed
      ? [pay(route.pools[0]!, put), pay('f'.repeat(40), amount - put)]
      : [pay(route.pools[0]!, put)];
    return { trades, transfers };
  }
}
