import type {
  BlocksGroup,
  ChainEvent,
  PoolRecord,
  ReferenceSet,
  TokenRecord,
  TxRecord,
} from '#libs/protocol/blocks.js';
import { SeededRandom } from '../seeded-random.js';
import { addLiquidity, emptyPool, rawAmount, type SimulatedPool, swap } from './simulated-pools.js';

/**
 * Steady traffic of a busy chain, for measuring: many tokens of which few trade often, most pools against the coin, each
 * swap with the transfers and reserves events that come with it. The coin's price moves in every block.
 */
export interface TrafficOptions {
  tokens: number;
  blocks: number;
  eventsPerBlock: number;
  /** Share of the swaps that go to the first pool of the first token; without it that is a token like the others. */
  hot?: number;
}

export function* marketTraffic(seed: number, options: TrafficOptions): Generator<BlocksGroup, void> {
  const random = new SeededRandom(seed);
  const record = (symbol: string, decimals: number): TokenRecord => ({
    token: random.hex(20),
    decimals,
    symbol,
    name: symbol,
    totalSupply: 10n ** 27n,
  });
  const coin = record('WCOIN', 18);
  const stables = [record('USDA', 6), record('USDB', 6), record('USDC', 18)];
  const plain = Array.from({ length: options.tokens }, (_, i) => record(`T${i}`, random.pick([18, 18, 18, 9, 6])));
  const usd = new Map<string, number>([[coin.token, 2_500], ...stables.map((s): [string, number] => [s.token, 1])]);
  for (const token of plain) usd.set(token.token, random.spread(1e-6, 100));
  const decimals = new Map([coin, ...stables, ...plain].map((token) => [token.token, token.decimals!]));

  const pools: SimulatedPool[] = [];
  const addPool = (a: TokenRecord, b: TokenRecord, worth: number) => {
    const concentrated = random.chance(0.4);
    const [token0, token1] = [a.token, b.token].sort() as [string, string];
    const pool = emptyPool({
      pool: random.hex(20),
      venue: concentrated ? 'uniswap-v3' : 'uniswap-v2',
      kind: concentrated ? 'concentrated' : 'constant-product',
      token0,
      token1,
      feePpm: 3000,
      tickSpacing: concentrated ? 60 : 0,
      created: true,
    });
    const side = (id: string) => rawAmount(random, worth / usd.get(id)!, decimals.get(id)!);
    addLiquidity(random, pool, side(token0), side(token1));
    pools.push(pool);
  };
  for (const stable of stables) for (let i = 0; i < 4; i++) addPool(coin, stable, random.spread(1e6, 1e8));
  addPool(stables[0]!, stables[1]!, 1e7);
  const hotPool = pools.length;
  for (const token of plain) {
    addPool(token, random.chance(0.85) ? coin : random.pick(stables), random.spread(20, 1e6));
    if (random.chance(0.15)) addPool(token, random.pick(stables), random.spread(20, 1e5));
    if (random.chance(0.1)) addPool(token, random.pick(plain), random.spread(20, 1e4));
  }

  const reference: ReferenceSet = {
    family: 'evm',
    genesisHash: random.hex(32),
    startHeight: 1,
    decoderVersion: 1,
    coin: { token: coin.token, symbol: 'COIN', decimals: 18 },
    stables: stables.map((stable) => stable.token),
    rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
  };
  const base = { chain: 'eth', epoch: 1 };
  const origin = { height: 0, hash: random.hex(32), parentHash: '', time: 0 };
  yield { ...base, ...origin, kind: 'epoch', seq: 0, reference };
  let parentHash = origin.hash;
  for (let height = 1; height <= options.blocks + 1; height++) {
    const hash = random.hex(32);
    const time = height * 2_000;
    const common = { ...base, kind: 'block', seq: height, height, hash, parentHash, time } as const;
    parentHash = hash;
    const rest = { source: 'history', observedAt: time } as const;
    if (height === 1) {
      yield { ...common, ...rest, ...opening([coin, ...stables, ...plain], pools, random) };
      continue;
    }
    const txs: TxRecord[] = [];
    const events: ChainEvent[] = [];
    while (events.length < options.eventsPerBlock) {
      const tx = txs.length;
      txs.push({ id: random.hex(32), index: tx, sender: random.hex(20) });
      const drawn = random.chance(0.2)
        ? pools[random.int(0, 12)]!
        : pools[Math.floor(pools.length * random.next() ** 6)]!;
      const pool = options.hot !== undefined && random.chance(options.hot) ? pools[hotPool]! : drawn;
      const share = random.spread(1e-6, 0.01);
      const id = pool.record.pool;
      const made = swap(pool, random.chance(0.5), share);
      const trader = random.hex(20);
      for (const token of made.length > 0 ? [pool.record.token0, pool.record.token1] : [pool.record.token0]) {
        const amount = BigInt(random.int(1, 1e12)) * 10n ** 6n;
        events.push({ kind: 'transfer', tx, ordinal: events.length, token, from: trader, to: id, amount });
      }
      for (const event of made) {
        const at = { tx, ordinal: events.length, pool: id };
        if (event.kind === 'swap') events.push({ ...at, ...event, sender: trader, recipient: trader });
        else if (event.kind === 'reserves') events.push({ ...at, ...event });
      }
    }
    yield { ...common, ...rest, txs, tokens: [], pools: [], events, anchors: [] };
  }
}

/** The first block: everything becomes known, with its state. */
function opening(tokens: TokenRecord[], pools: SimulatedPool[], random: SeededRandom) {
  const anchors = pools.map((pool) => ({
    pool: pool.record.pool,
    reserve0: pool.reserve0,
    reserve1: pool.reserve1,
    concentrated:
      pool.record.kind === 'concentrated'
        ? {
            sqrtPriceX96: pool.sqrtPriceX96,
            tick: pool.tick,
            liquidity: pool.liquidity,
            ticks: [...pool.ticks.values()].sort((a, b) => a.tick - b.tick),
          }
        : null,
  }));
  const records: PoolRecord[] = pools.map((pool) => pool.record);
  return {
    txs: [{ id: random.hex(32), index: 0, sender: random.hex(20) }],
    tokens,
    pools: records,
    events: [],
    anchors,
  };
}
