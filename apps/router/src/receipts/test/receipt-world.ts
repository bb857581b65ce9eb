import { chainSpec } from '#libs/catalogue/catalogue.js';
import type { Hex } from '#libs/core/ids.js';
import type { FactsBlock, FactsGroup, TradeFact, TransferFact } from '#libs/protocol/facts.js';
import type { SeededRandom } from '#libs/testing/seeded-random.js';
import type { BuiltSwap } from '../../evm/build/built-swap.js';
import type { SwapPlan } from '../../evm/build/swap-plan.js';
import { NATIVE } from '../../evm/native-coin.js';
import type { PricedQuote } from '../../evm/quote/evm-quote.js';

/**
 * A small chain whose wallets build and sign swaps, as facts groups. Few wallets, pools and amounts, so that builds are
 * easily taken for one another; swaps that only nearly are what was built; reorganizations that mine them again.
 */
export const WRAPPED: Hex = 'c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const id = (letter: string, n: number): Hex => letter.repeat(39) + n.toString(16);
export const wallets = [id('a', 1), id('a', 2), id('a', 3)];
/** tokens[0] is the wrapped coin. A pool trades two of them. */
const tokens = [WRAPPED, id('b', 1), id('b', 2)];
const pools = [
  { pool: id('d', 1), tokens: [0, 1] },
  { pool: id('d', 2), tokens: [1, 2] },
  { pool: id('d', 3), tokens: [0, 2] },
  { pool: id('d', 4), tokens: [0, 1] },
] as const;
const BLOCK_MS = 12_000;

/** A build, as far as a receipt is made of it. */
export type Build = Pick<BuiltSwap, 'request' | 'plan' | 'simulation' | 'deadline'>;

/** One transaction that waits for a block, or is in one. */
export interface SignedTx {
  tx: Hex;
  wallet: Hex;
  trades: Pick<TradeFact, 'pool' | 'base' | 'quote' | 'side' | 'baseAmount' | 'quoteAmount'>[];
  transfers: Pick<TransferFact, 'token' | 'from' | 'to' | 'amount'>[];
}

export class ReceiptWorld {
  readonly groups: FactsGroup[] = [];
  private readonly surviving: FactsBlock[] = [];
  private readonly mined = new Map<Hex, SignedTx[]>();
  private waiting: SignedTx[] = [];
  private sealed = 99;

  constructor(
    private readonly random: SeededRandom,
    readonly chain: string,
    readonly epoch: number,
  ) {
    const reference = {
      ...{ family: 'evm' as const, genesisHash: random.hex(32), startHeight: 100, decoderVersion: 1 },
      coin: { token: WRAPPED, symbol: 'WETH', decimals: 18 },
      stables: [],
      rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
    };
    this.groups.push({ kind: 'epoch', ...this.envelope(99, '', '', 1_700_000_000_000), reference });
  }

  /** Blocks that stand, in order. */
  get blocks(): readonly FactsBlock[] {
    return this.surviving;
  }

  get head(): { height: number; hash: Hex; time: number } {
    return this.surviving[this.surviving.length - 1] ?? { height: 99, hash: '', time: 1_700_000_000_000 };
  }

  /** A build, which may be signed any number of times or never, truly or nearly. */
  build(): Build {
    const { random, head } = this;
    const route = this.route();
    const wallet = random.pick(wallets);
    const inAmount = BigInt(random.pick([100, 100, 200]));
    const quotedOut = BigInt(random.int(90, 110));
    const floor = (quotedOut * 9n) / 10n;
    const mint = (token: Hex) => (token === WRAPPED && random.chance(0.5) ? NATIVE : token);
    const block = { number: head.height, hash: head.hash.padStart(64, '0') };
    const deadline = head.time + random.int(1, 8) * BLOCK_MS;
    const [inputMint, outputMint] = [mint(route.path[0]!), mint(route.path[route.path.length - 1]!)];
    const priced = {
      ...{ inputMint, outputMint, amountIn: inAmount, amountOut: quotedOut, slippageBps: 1_000 },
      chain: chainSpec(this.chain)!,
      head: { height: block.number, hash: block.hash },
      route: { venue: 'uniswap-v2', hops: route.pools.map((id) => ({ pool: { id } })) },
    } as unknown as PricedQuote;
    const quote = { quoteId: uuid(random), seconds: 0, expiresAt: deadline, priced };
    const request = { quote, wallet, recipient: null, slippageBps: null, deadlineSeconds: 300 };
    const plan = { wallet, recipient: wallet, floor, slippageBps: 1_000, pools: route.pools } as unknown as SwapPlan;
    const simulation = { block, received: quotedOut - BigInt(random.int(0, 3)), gasUsed: 1n };
    for (let times = random.pick([0, 1, 1, 2]); times > 0; times--) {
      this.waiting.push(this.sign(route, wallet, inAmount, quotedOut));
    }
    return { request, plan, simulation, deadline: BigInt(deadline) / 1_000n };
  }

  /** The next group of the log. */
  grow(): FactsGroup {
    const { random } = this;
    const roll = random.next();
    if (roll < 0.12 && this.surviving.length > 0) return this.retract();
    if (roll < 0.25 && this.head.height > this.sealed) {
      const height = random.int(this.sealed + 1, this.head.height);
      this.sealed = height;
      const { hash, parentHash, time } = this.surviving.find((block) => block.height === height)!;
      return this.append({
        kind: 'finalize',
        ...this.envelope(height, hash, parentHash, time),
        finalizedHeight: height,
      });
    }
    return this.mine();
  }

  private mine(): FactsGroup {
    const { random, head } = this;
    const hash = random.hex(32);
    const txs = this.waiting.filter(() => random.chance(0.4));
    this.waiting = this.waiting.filter((tx) => !txs.includes(tx) && !random.chance(0.02));
    this.mined.set(hash, txs);
    let ordinal = 0;
    const block: FactsBlock = {
      kind: 'block',
      ...this.envelope(head.height + 1, hash, head.hash, head.time + BLOCK_MS * random.pick([1, 1, 1, 4])),
      trades: txs.flatMap(({ tx, wallet, trades }) =>
        trades.map((trade, txOrdinal) => ({
          ...trade,
          ...{ ordinal: ordinal++, txOrdinal, tx, wallet, venue: 'uniswap-v2', baseDecimals: 18, quoteDecimals: 18 },
          ...{ priceUsd: null, coinUsd: null, volumeUsd: null, volumeCoin: null, counted: false },
        })),
      ),
      transfers: txs.flatMap(({ tx, transfers }) => transfers.map((one) => ({ ...one, ordinal: ordinal++, tx }))),
      ...{ tokens: [], pools: [], poolStates: [], prices: [], references: [] },
    };
    this.surviving.push(block);
    return this.append(block);
  }

  /** At times below what was sealed. */
  private retract(): FactsGroup {
    const { random } = this;
    const depth = Math.min(this.surviving.length, random.int(1, 4));
    const gone = this.surviving.splice(this.surviving.length - depth);
    for (const { hash } of gone) this.waiting.push(...this.mined.get(hash)!);
    const { height, hash, time } = this.head;
    this.sealed = Math.min(this.sealed, height);
    return this.append({
      kind: 'retract',
      ...this.envelope(height, hash, '', time),
      ...{ fromSeq: gone[0]!.seq, poolStates: [], prices: [], references: [], removedPools: [], removedTokens: [] },
    });
  }

  private append(group: FactsGroup): FactsGroup {
    this.groups.push(group);
    return group;
  }

  private envelope(height: number, hash: Hex, parentHash: Hex, time: number) {
    const { chain, epoch } = this;
    return { chain, epoch, seq: this.groups.length, height, hash, parentHash, time, inputHash: '00'.repeat(16) };
  }

  private route(): { pools: Hex[]; path: Hex[] } {
    const { random } = this;
    const first = random.pick(pools);
    const [from, via] = random.chance(0.5) ? first.tokens : [first.tokens[1], first.tokens[0]];
    const second = pools.find((pool) => pool !== first && (pool.tokens as readonly number[]).includes(via));
    if (second === undefined || random.chance(0.6)) return { pools: [first.pool], path: [tokens[from]!, tokens[via]!] };
    const to = second.tokens[0] === via ? second.tokens[1] : second.tokens[0];
    return { pools: [first.pool, second.pool], path: [tokens[from]!, tokens[via]!, tokens[to]!] };
  }

  private sign(route: { pools: Hex[]; path: Hex[] }, wallet: Hex, amount: bigint, quoted: bigint) {
    const { random } = this;
    const roll = random.next();
    const taxed = roll < 0.15;
    const put = taxed ? (amount * 95n) / 100n : roll < 0.25 ? amount - 1n : amount;
    const given = roll > 0.9 ? (quoted * 8n) / 10n : quoted + BigInt(random.int(-5, 5));
    const trades = route.pools.map((pool, hop) => {
      const into = hop === 0 ? put : 50n;
      const out = hop === route.pools.length - 1 ? given : 50n;
      return trade(random, pool, route.path[hop]!, route.path[hop + 1]!, into, out);
    });
    if (random.chance(0.15)) trades.unshift(trade(random, route.pools[0]!, route.path[0]!, route.path[1]!, 7n, 7n));
    if (random.chance(0.1)) trades.splice(1, 0, trade(random, pools[3].pool, tokens[1]!, tokens[0]!, 3n, 3n));
    const token = route.path[0]!;
    const pay = (to: Hex, paid: bigint) => ({ token, from: wallet, to, amount: paid });
    const transfers = taxed
      ? [pay(route.pools[0]!, put), pay('f'.repeat(40), amount - put)]
      : [pay(route.pools[0]!, put)];
    const signer = roll > 0.85 && roll < 0.9 ? random.pick(wallets) : wallet;
    return { tx: random.hex(32), wallet: signer, trades, transfers };
  }
}

function trade(random: SeededRandom, pool: Hex, from: Hex, to: Hex, into: bigint, out: bigint): SignedTx['trades'][0] {
  return random.chance(0.5)
    ? { pool, side: 'sell', base: from, quote: to, baseAmount: into, quoteAmount: out }
    : { pool, side: 'buy', base: to, quote: from, baseAmount: out, quoteAmount: into };
}

const uuid = (random: SeededRandom): string =>
  random.hex(16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
