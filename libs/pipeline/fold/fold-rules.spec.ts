import { LogBrokenError } from '#libs/core/errors.js';
import { ONE_E36 } from '#libs/core/money.js';
import { FactsReader } from '#libs/devkit/testing/histories/facts-reader.js';
import { naiveFold } from '#libs/devkit/testing/histories/naive-model.js';
import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import type { BlockGroup, BlocksGroup, ChainEvent, EpochGroup, PoolRecord } from '#libs/protocol/blocks.js';
import type { FactsBlock, FactsGroup } from '#libs/protocol/facts.js';
import { backingOfPrice } from './backing.js';
import { ChainFold } from './chain-fold.js';
import { measuredOf } from './references.js';
import { TokenValues } from './token-values.js';

const id = (n: number, bytes = 20): string => n.toString(16).padStart(bytes * 2, '0');
const COIN = id(0xc0);
const USD = [id(0xa1), id(0xa2), id(0xa3)];
const TOKEN = id(0x70);
const MEME = id(0x71);

const epoch: EpochGroup = {
  kind: 'epoch',
  chain: 'eth',
  epoch: 1,
  seq: 0,
  height: 9,
  hash: id(9, 32),
  parentHash: '',
  time: 0,
  reference: {
    family: 'evm',
    genesisHash: id(1, 32),
    startHeight: 10,
    decoderVersion: 1,
    coin: { token: COIN, symbol: 'COIN', decimals: 18 },
    stables: USD,
    rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
  },
};

/** Blocks with constant-product pools in whole tokens of 18 decimals, one swap a call. */
class Story {
  readonly fold = ChainFold.empty();
  readonly groups: BlocksGroup[] = [epoch];
  readonly facts: FactsGroup[] = [];
  private readonly pools = new Map<string, PoolRecord>();
  private seq = 0;
  private known = false;
  private events: ChainEvent[] = [];
  private fresh: PoolRecord[] = [];

  constructor(private readonly tokens = [COIN, ...USD, TOKEN, MEME]) {
    this.facts.push(this.fold.apply(epoch, ''));
  }

  /** Sets a pool's reserves in whole tokens; makes the pool when it is new. */
  pool(pool: string, a: [string, number], b: [string, number]): this {
    const [side0, side1] = a[0] < b[0] ? [a, b] : [b, a];
    if (!this.pools.has(pool)) {
      const record: PoolRecord = {
        pool,
        venue: 'uniswap-v2',
        kind: 'constant-product',
        token0: side0[0],
        token1: side1[0],
        feePpm: 3000,
        tickSpacing: 0,
        created: true,
      };
      this.pools.set(pool, record);
      this.fresh.push(record);
    }
    const [reserve0, reserve1] = [whole(side0[1]), whole(side1[1])];
    this.events.push({ kind: 'reserves', tx: 0, ordinal: this.events.length, pool, reserve0, reserve1 });
    return this;
  }

  swap(pool: string, into: string, amountIn: number, amountOut: number): this {
    const into0 = this.pools.get(pool)!.token0 === into;
    const [amount0, amount1] = into0 ? [whole(amountIn), -whole(amountOut)] : [-whole(amountOut), whole(amountIn)];
    const event = { kind: 'swap', pool, amount0, amount1, sender: id(1), recipient: id(2), after: null } as const;
    this.events.push({ ...event, tx: 0, ordinal: this.events.length });
    return this;
  }

  block(): FactsBlock {
    const tokens = this.known
      ? []
      : this.tokens.map((token) => ({
          token,
          decimals: 18,
          symbol: null,
          name: null,
          totalSupply: null,
        }));
    this.known = true;
    const height = 9 + ++this.seq;
    const group: BlockGroup = {
      kind: 'block',
      chain: 'eth',
      epoch: 1,
      seq: this.seq,
      height,
      hash: id(height, 32),
      parentHash: id(height - 1, 32),
      time: height,
      source: 'http',
      observedAt: 0,
      txs: [{ id: id(height, 32), index: 0, sender: id(0x5e) }],
      tokens,
      pools: this.fresh,
      events: this.events,
      anchors: [],
    };
    this.events = [];
    this.fresh = [];
    this.groups.push(group);
    const facts = this.fold.apply(group, '') as FactsBlock;
    this.facts.push(facts);
    return facts;
  }
}

const whole = (amount: number): bigint => BigInt(Math.round(amount * 1e6)) * 10n ** 12n;
const sorted = <T>(map: Map<string, T>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
/** What the last block left, in USD. */
function valuesAfter(story: Story): (token: string) => number {
  const reader = new FactsReader();
  for (const facts of story.facts) reader.read(facts);
  const { prices, references } = reader.state;
  const values = new TokenValues({
    reference: (token) => references.get(token),
    backing: (token) => (prices.has(token) ? backingOfPrice(prices.get(token)!) : null),
  });
  return (token) => Number(values.usd(token)) / 1e36;
}

const usdOf = (facts: FactsBlock, token: string) =>
  Number(facts.references.find((reference) => reference.token === token)?.usd) / 1e36;

describe('price rules', () => {
  it('prices the coin by the liquidity-weighted median of its stable pools', () => {
    const facts = new Story()
      .pool(id(1), [COIN, 1], [USD[0]!, 2_000])
      .pool(id(2), [COIN, 100], [USD[1]!, 201_000])
      .pool(id(3), [COIN, 0.001], [USD[2]!, 9])
      .block();
    expect(usdOf(facts, COIN)).toBe(2_010);
    expect(facts.references).toHaveLength(4);
  });

  it('takes a stable off its peg when most of its depth says so, and then everywhere', () => {
    const story = new Story()
      .pool(id(1), [COIN, 1_000], [USD[0]!, 2_000_000])
      .pool(id(2), [COIN, 400], [USD[1]!, 800_000])
      .pool(id(3), [COIN, 300], [USD[2]!, 600_000])
      .pool(id(4), [USD[0]!, 5_000], [USD[1]!, 5_000])
      .pool(id(5), [TOKEN, 100], [USD[0]!, 1_000]);
    expect(usdOf(story.block(), USD[0]!)).toBe(1);
    // one pool alone says 0.8
    expect(story.pool(id(4), [USD[0]!, 6_250], [USD[1]!, 5_000]).block().references).toEqual([]);
    // the deepest one agrees
    const broken = story.pool(id(1), [COIN, 1_000], [USD[0]!, 2_500_000]).block();
    expect(usdOf(broken, USD[0]!)).toBeCloseTo(0.8, 9);
    expect(usdOf(broken, USD[1]!)).toBe(1);
    expect(usdOf(broken, USD[2]!)).toBe(1);
    expect(usdOf(broken, COIN)).toBeCloseTo(2_000, 6);
    // reference prices inside a block are those of the block before
    const after = story.swap(id(5), USD[0]!, 10, 1).block();
    expect(Number(after.trades[0]!.priceUsd) / 1e36).toBeCloseTo(8, 9);
  });

  it.each([
    [0.5, 0.5],
    [0.98, 0.98],
    [0.985, 0.99],
    [0.991, 1],
    [1, 1],
    [1.015, 1.01],
    [1.03, 1.03],
  ])('follows the one pool of a stable: of %d measured it counts as %d', (measured, counted) => {
    const facts = new Story()
      .pool(id(1), [COIN, 1_000], [USD[1]!, 2_000_000])
      .pool(id(2), [COIN, 1_000], [USD[2]!, 2_000_000])
      .pool(id(4), [USD[0]!, 1_000_000], [USD[1]!, 1_000_000 * measured])
      .pool(id(5), [TOKEN, 100], [USD[0]!, 1_000])
      .block();
    expect(usdOf(facts, USD[0]!)).toBeCloseTo(counted, 6);
    const usd = facts.references.find(({ token }) => token === USD[0])!.usd!;
    const said = measuredOf(usd, { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 });
    if (counted === 1) expect(said).toBeNull();
    else expect(Number(said) / 1e36).toBeCloseTo(measured, 6);
  });

  it('prices level 2 before level 3, from 10 USD of quote side on, and never upwards', () => {
    const story = new Story()
      .pool(id(1), [COIN, 1_000], [USD[0]!, 2_000_000])
      .pool(id(5), [TOKEN, 100], [COIN, 0.004])
      .pool(id(6), [MEME, 1_000], [TOKEN, 10]);
    // 8 USD of coin: no pool prices TOKEN, and TOKEN prices no other token
    expect(story.block().prices).toEqual([]);
    const priced = story.pool(id(5), [TOKEN, 100], [COIN, 0.1]).block();
    const token = { token: TOKEN, pool: id(5), quote: COIN, spot: ONE_E36 / 1_000n, level: 2 };
    const meme = { token: MEME, pool: id(6), quote: TOKEN, spot: ONE_E36 / 100n, level: 3 };
    expect(priced.prices).toMatchObject([token, meme]);
    // a pool against a stable makes level 2, however shallow
    const direct = story.pool(id(7), [MEME, 1_000], [USD[0]!, 11]).block();
    expect(direct.prices).toMatchObject([
      { token: MEME, pool: id(7), quote: USD[0], spot: (11n * ONE_E36) / 1_000n, level: 2 },
    ]);
    // MEME has TOKEN's level now: what their pool holds of MEME is below 10 USD, and TOKEN counts there as far as it can be sold
    const after = story.pool(id(6), [MEME, 1], [TOKEN, 1e6]).block();
    expect(after.prices).toMatchObject(
      [token, { ...meme, pool: id(7), quote: USD[0], level: 2 }].map(({ spot: _, ...of }) => of),
    );
    const usd = valuesAfter(story);
    expect(usd(MEME)).toBeCloseTo(0.011, 4);
    expect(usd(TOKEN)).toBe(2);
  });

  it('loses a price when the coin falls below what its pool needs', () => {
    const story = new Story().pool(id(1), [COIN, 1_000], [USD[0]!, 2_000_000]).pool(id(5), [TOKEN, 100], [COIN, 0.006]);
    expect(story.block().prices).toHaveLength(1);
    const fallen = story.pool(id(1), [COIN, 2_000], [USD[0]!, 1_000_000]).block();
    expect(fallen.prices).toMatchObject([{ token: TOKEN, pool: null, quote: null, spot: null, level: 4 }]);
    const back = story.pool(id(1), [COIN, 1_000], [USD[0]!, 2_000_000]).block();
    expect(back.prices.map((price) => price.level)).toEqual([2]);
  });

  it('loses a level 3 price when the coin falls, though nothing else moves', () => {
    const story = new Story()
      .pool(id(1), [COIN, 1_000], [USD[0]!, 2_000_000])
      .pool(id(5), [TOKEN, 1_000], [COIN, 1])
      .pool(id(6), [MEME, 1_000], [TOKEN, 6]);
    expect(story.block().prices.map((price) => price.level)).toEqual([2, 3]);
    const fallen = story.pool(id(1), [COIN, 2_000], [USD[0]!, 1_000_000]).block();
    expect(fallen.prices.map((price) => [price.token, price.level])).toEqual([[MEME, 4]]);
    const back = story.pool(id(1), [COIN, 1_000], [USD[0]!, 2_000_000]).block();
    expect(back.prices.map((price) => [price.token, price.level])).toEqual([[MEME, 3]]);
  });

  it('keeps every selection right while the coin wanders and pools stand near the thresholds', () => {
    for (const seed of propertySeeds(scaled(40, 4))) {
      const random = new SeededRandom(seed);
      const names = Array.from({ length: 24 }, (_, i) => id(0x100 + i));
      const story = new Story([COIN, ...USD, ...names]);
      const reader = new FactsReader();
      let coinUsd = 2_000;
      const near = () => random.spread(4, 60);
      const shape = names.flatMap((token, i) => {
        const pools = [{ pool: id(0x1000 + i), token, quote: i % 4 === 3 ? USD[0]! : COIN }];
        if (i % 3 === 0) pools.push({ pool: id(0x2000 + i), token, quote: USD[1]! });
        if (i >= 8) pools.push({ pool: id(0x3000 + i), token, quote: names[i % 8]! });
        if (i >= 16) pools.push({ pool: id(0x4000 + i), token, quote: names[(i * 3 + 1) % 8]! });
        // Some trade against tokens of level 2 only.
        return i >= 16 && i % 2 === 0 ? pools.filter(({ quote }) => names.includes(quote)) : pools;
      });
      const set = ({ pool, token, quote }: (typeof shape)[number]) => {
        const unit = quote === COIN ? coinUsd : names.includes(quote) ? 0.5 : 1;
        story.pool(pool, [token, random.spread(10, 100)], [quote, near() / unit]);
      };
      reader.read({ ...epoch, inputHash: '' });
      for (let block = 0; block < 60; block++) {
        if (block === 0) shape.forEach(set);
        else if (random.chance(0.4)) set(random.pick(shape));
        coinUsd = block === 0 ? coinUsd : Math.min(9_000, Math.max(400, coinUsd * random.spread(0.7, 1.4)));
        story.pool(id(1), [COIN, 1_000], [USD[0]!, 1_000 * coinUsd]);
        reader.read(story.block());
        const { prices, references } = naiveFold(story.groups).state;
        expect([seed, block, sorted(reader.state.prices)]).toEqual([seed, block, sorted(prices)]);
        expect(sorted(reader.state.references)).toEqual(sorted(references));
      }
    }
  });

  it('counts only trades that may move a candle', () => {
    const story = new Story().pool(id(1), [COIN, 1_000], [USD[0]!, 2_000_000]).pool(id(5), [TOKEN, 1_000], [COIN, 10]);
    story.block();
    const { trades } = story
      .swap(id(5), COIN, 0.1, 10)
      .swap(id(5), COIN, 1, 10)
      .swap(id(5), COIN, 0.000004, 0.0004)
      .swap(id(5), TOKEN, 10, 0.1)
      .swap(id(5), TOKEN, 10, 0)
      .block();
    // fair, ten times the spot, below a cent, fair sale; nothing for something is no trade
    expect(trades.map((trade) => [trade.uncounted, trade.side, trade.txOrdinal])).toEqual([
      [null, 'buy', 0],
      ['far_from_spot', 'buy', 1],
      ['dust', 'buy', 2],
      [null, 'sell', 3],
    ]);
    expect(trades[0]).toMatchObject({ base: TOKEN, quote: COIN, wallet: id(0x5e), priceUsd: 20n * ONE_E36 });
  });
});

describe('log rules', () => {
  const { groups } = randomHistory(11, { groups: 60, retractions: 0.2 });
  const upTo = (count: number): ChainFold => {
    const fold = ChainFold.empty();
    for (const group of groups.slice(0, count)) {
      if (group.kind === 'retract' && !fold.canRetract(group)) break;
      fold.apply(group, '');
    }
    return fold;
  };
  const blockAt = groups.findIndex((group, seq) => group.kind === 'block' && seq > 3);
  const next = groups[blockAt] as BlockGroup;

  it.each([
    ['a gap in seq', { seq: next.seq + 1 }],
    ['a repeat', { seq: next.seq - 1 }],
    ['another epoch', { epoch: 2 }],
    ['another chain', { chain: 'bsc' }],
    ['another parent', { parentHash: id(77, 32) }],
    ['a height that does not rise', { height: next.height - 1 }],
    [
      'an unknown pool',
      {
        events: [{ kind: 'flow', tx: 0, ordinal: 0, pool: id(99), amount0: 1n, amount1: 1n }],
        txs: [{ id: id(1, 32), index: 0, sender: id(1) }],
      },
    ],
    [
      'ordinals out of order',
      {
        events: [5, 5].map((ordinal) => ({
          kind: 'transfer',
          tx: 0,
          ordinal,
          token: id(1),
          from: id(1),
          to: id(2),
          amount: 1n,
        })),
        txs: [{ id: id(1, 32), index: 0, sender: id(1) }],
      },
    ],
  ])('stops at %s', (_what, change) => {
    expect(() => upTo(blockAt).apply({ ...next, ...change } as BlocksGroup, '')).toThrow(LogBrokenError);
    expect(() => upTo(blockAt).apply(next, '')).not.toThrow();
  });

  it('stops at a retraction or a seal that names another block', () => {
    const fold = upTo(blockAt + 1);
    const { height, hash, epoch: in_, chain, parentHash, time } = next;
    const base = { chain, epoch: in_, seq: next.seq + 1, height, hash, parentHash, time };
    expect(() => fold.apply({ ...base, kind: 'finalize', finalizedHeight: 0, hash: id(5, 32) }, '')).toThrow(
      LogBrokenError,
    );
    expect(() => fold.apply({ ...base, kind: 'finalize', finalizedHeight: 0, height: height + 1 }, '')).toThrow(
      LogBrokenError,
    );
    expect(() => fold.apply({ ...base, kind: 'retract', fromSeq: next.seq, height: height - 1 }, '')).toThrow(
      LogBrokenError,
    );
  });

  it('needs the epoch group first, and once', () => {
    expect(() => ChainFold.empty().apply(next, '')).toThrow(LogBrokenError);
    expect(() => upTo(blockAt).apply({ ...epoch, seq: blockAt }, '')).toThrow(LogBrokenError);
    expect(ChainFold.empty().position).toBeNull();
  });
});
