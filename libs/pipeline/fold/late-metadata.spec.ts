import type {
  BlockGroup,
  ChainEvent,
  EpochGroup,
  PoolRecord,
  RetractGroup,
  TokenRecord,
} from '#libs/protocol/blocks.js';
import type { FactsBlock, FactsRetract } from '#libs/protocol/facts.js';
import { ChainFold } from './chain-fold.js';

const id = (n: number, bytes = 20): string => n.toString(16).padStart(bytes * 2, '0');
const [COIN, USD, TOKEN] = [id(0xc0), id(0xa1), id(0x70)];
const [DEEP, POOL] = [id(1), id(2)];
const whole = (amount: number): bigint => BigInt(amount) * 10n ** 18n;

const epoch: EpochGroup = {
  ...{ kind: 'epoch', chain: 'eth', epoch: 1, seq: 0, height: 9, hash: id(9, 32), parentHash: '', time: 0 },
  reference: {
    ...{ family: 'evm', genesisHash: id(1, 32), startHeight: 10, decoderVersion: 1, stables: [USD] },
    coin: { token: COIN, symbol: 'COIN', decimals: 18 },
    rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
  },
};

const record = (pool: string, token0: string, token1: string): PoolRecord => ({
  ...{
    pool,
    venue: 'uniswap-v2',
    kind: 'constant-product',
    token0,
    token1,
    feePpm: 3000,
    tickSpacing: 0,
    created: true,
  },
});
const said = (token: string, of: Partial<TokenRecord> = {}): TokenRecord => ({
  ...{ token, decimals: null, symbol: null, name: null, totalSupply: null, ...of },
});

class Chain {
  readonly fold = ChainFold.empty();
  private seq = 0;

  constructor() {
    this.fold.apply(epoch, '');
  }

  block(tokens: TokenRecord[], events: object[] = [], pools: PoolRecord[] = []): FactsBlock {
    const height = 9 + ++this.seq;
    const group: BlockGroup = {
      ...{ kind: 'block', chain: 'eth', epoch: 1, seq: this.seq, height, time: height, source: 'http', observedAt: 0 },
      ...{ hash: id(height, 32), parentHash: id(height - 1, 32), anchors: [], tokens, pools },
      txs: [{ id: id(height, 32), index: 0, sender: id(7) }],
      events: events.map((event, ordinal) => ({ tx: 0, ordinal, ...event }) as ChainEvent),
    };
    return this.fold.apply(group, '') as FactsBlock;
  }

  retract(height: number): FactsRetract {
    const group: RetractGroup = {
      ...{ kind: 'retract', chain: 'eth', epoch: 1, seq: ++this.seq, height, time: height, fromSeq: height - 8 },
      ...{ hash: id(height, 32), parentHash: id(height - 1, 32) },
    };
    return this.fold.apply(group, '') as FactsRetract;
  }
}

const reserves = (pool: string, reserve0: bigint, reserve1: bigint) => ({ kind: 'reserves', pool, reserve0, reserve1 });
/** One token for a hundred dollars. */
const swap = {
  kind: 'swap',
  pool: POOL,
  amount0: -whole(1),
  amount1: whole(100),
  sender: id(1),
  recipient: id(1),
  after: null,
};
const pools = [record(DEEP, USD, COIN), record(POOL, TOKEN, USD)];
const states = [reserves(DEEP, whole(2_000_000), whole(1_000)), reserves(POOL, whole(1_000), whole(100_000))];

describe('a token that says its metadata late', () => {
  it('has no price and no trade before it says its decimals, and both from then on', () => {
    const chain = new Chain();
    const symbol = { symbol: 'LATE', totalSupply: whole(5) };
    const first = chain.block(
      [said(USD, { decimals: 18 }), said(COIN, { decimals: 18 }), said(TOKEN, symbol)],
      [...states, swap],
      pools,
    );
    expect(first).toMatchObject({ trades: [], prices: [] });
    expect(chain.block([said(TOKEN, { name: 'Late' })], [swap])).toMatchObject({
      tokens: [{ token: TOKEN, decimals: null, symbol: 'LATE', name: 'Late', totalSupply: whole(5) }],
      ...{ trades: [], prices: [] },
    });
    const known = chain.block([said(TOKEN, { decimals: 18, symbol: 'OTHER' })], [swap]);
    const all = { token: TOKEN, decimals: 18, symbol: 'LATE', name: 'Late', totalSupply: whole(5) };
    expect(known.tokens).toEqual([all]);
    expect(known.trades).toMatchObject([{ base: TOKEN, baseDecimals: 18, volumeUsd: whole(100) }]);
    expect(known.prices).toMatchObject([{ token: TOKEN, pool: POOL, spot: 100n * 10n ** 36n }]);
    expect(chain.block([], [swap]).trades).toMatchObject([{ priceUsd: 100n * 10n ** 36n, uncounted: null }]);
    // What is known stays, and is not stated again.
    expect(chain.block([said(TOKEN), said(TOKEN, { ...all, decimals: 6 })]).tokens).toEqual([]);
  });

  it('knows what it knew before, once the block that said more is retracted', async () => {
    const chain = new Chain();
    const before = said(TOKEN, { symbol: 'LATE' });
    chain.block([said(USD, { decimals: 18 }), said(COIN, { decimals: 18 }), before], states, pools);
    const hash = await chain.fold.stateHash();
    chain.block([said(TOKEN, { decimals: 18, name: 'Late' })], [swap]);
    const back = chain.retract(10);
    expect(back).toMatchObject({ removedTokens: [], restoredTokens: [before], prices: [{ token: TOKEN, spot: null }] });
    expect(await chain.fold.stateHash()).toBe(hash);
  });

  it('counts as a stable from then on', () => {
    const chain = new Chain();
    const first = chain.block(
      [said(COIN, { decimals: 18 }), said(TOKEN, { decimals: 18 }), said(USD)],
      [...states, swap],
      pools,
    );
    expect(first).toMatchObject({ trades: [], prices: [] });
    expect(first.references).toContainEqual({ token: COIN, usd: null });
    const known = chain.block([said(USD, { decimals: 18 })], [swap]);
    expect(known.references).toContainEqual({ token: COIN, usd: 2_000n * 10n ** 36n });
    expect(known.prices).toMatchObject([{ token: TOKEN, pool: POOL, spot: 100n * 10n ** 36n }]);
    expect(known.trades).toHaveLength(1);
  });
});
