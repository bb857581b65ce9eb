import { seeds } from '#libs/devkit/testing/market/market-harness.js';
import { marketWith } from '#libs/devkit/testing/market/market-with.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { until } from '#libs/devkit/testing/until.js';
import { type Frame, SocketClient } from '../src/live/transport/test/live-clients.js';
import { ApiHarness } from './api-harness.js';

const BOARDS = ['new', 'graduating', 'graduated'] as const;
/** What the contract names: a token shows one value of each, wherever it is shown. */
const FIELDS = ['priceUsd', 'priceNative', 'marketCapUsd', 'liquidityUsd', 'holders', 'launchpad'] as const;

/**
 * Price, cap, liquidity, holders, progress and graduation of every token at one block: the same on every route and every channel,
 * and later the same again for who asks for that block.
 */
const worlds = seeds(3).flatMap((seed) => (['evm', 'solana'] as const).map((family) => [family, seed] as const));
describe.each(worlds)('one value on every route of a chain of %s (seed %i)', (family, seed) => {
  // At its end a launched token is on a curve, another one has graduated, and the holders of one are known.
  const market = marketWith(seed, { family, groups: 60, retractions: 0.1, blockTime: 60_000 }, (naive) => {
    const launches = naive.blocks.flatMap(({ launches = [] }) => launches).filter(({ origin }) => origin === 2);
    const known = new Set(naive.tokens().map(({ token }) => token));
    const newest = [...new Map(launches.map((launch) => [launch.token, launch])).values()].filter((row) =>
      known.has(row.token),
    );
    const complete = naive.blocks.flatMap(({ tokenHolders = [] }) => tokenHolders).some((row) => row.standing === 1);
    return (
      complete && newest.some(({ graduated }) => graduated === 1) && newest.some(({ graduated }) => graduated === 0)
    );
  });
  const { chain, facts } = market;
  const { ids, slug } = chain;
  const last = facts.length - 1;
  let harness: ApiHarness;
  let client: SocketClient;
  beforeAll(async () => {
    harness = await ApiHarness.start(market);
  });
  afterAll(async () => {
    client?.socket.terminate();
    expect(harness.problems).toEqual([]);
    await harness.close();
  });

  const body = async (path: string): Promise<Frame> => {
    const { status, body: found } = await harness.get(path);
    expect({ path, status }).toEqual({ path, status: 200 });
    return found;
  };
  /** A list may be of a moment ago: asked again until it is of the newest block. */
  async function listed(path: string, block: number): Promise<Frame[]> {
    let found: Frame;
    await until(`${path} of block ${block}`, async () => {
      found = await body(path);
      return found.meta.chains[slug].block === block;
    });
    expect(found.next).toBeNull();
    return found.data;
  }
  async function snapshot(channel: string, parameters: object): Promise<Frame> {
    client ??= await SocketClient.open(`${harness.api.url}/ws`, { headers: { 'x-api-key': harness.key } });
    client.send({ op: 'subscribe', id: 's', channel, chain: slug, ...parameters });
    const frame = await client.next(({ type }) => type === 'snapshot' || type === 'error');
    client.send({ op: 'unsubscribe', id: 's' });
    await client.next(({ type }) => type === 'unsubscribed');
    return frame;
  }

  const compared: Record<string, number> = {};
  function same(where: string, row: Frame, own: Frame, fields: readonly string[] = FIELDS): void {
    for (const name of fields) {
      if (!(name in row)) continue;
      expect({ where, address: own.address, name, value: row[name] }).toEqual({
        ...{ where, address: own.address, name, value: own[name] },
      });
      compared[where] = (compared[where] ?? 0) + 1;
    }
  }

  /** Tokens that are looked at place by place: launched ones and those whose holders are known first. */
  const closely = (own: Map<string, Frame>): [string, Frame][] => {
    const worth = ({ launchpad, holders, priceUsd }: Frame) =>
      2 * Number(launchpad !== null) + 2 * Number(holders !== null) + Number(priceUsd !== null);
    return [...own].sort(([, a], [, b]) => worth(b) - worth(a)).slice(0, 4);
  };

  /** Every token as its own route has it, by address; compared with all other places. */
  async function everywhere(seq: number): Promise<{ block: number; seq: number; own: Map<string, Frame> }> {
    const naive = new NaiveMarket(chain, facts, seq);
    const { height: block, seq: headSeq } = naive.head;
    const own = new Map<string, Frame>();
    for (const { token } of naive.tokens()) {
      const address = ids.formatAddress(token);
      const { data, meta } = await body(`/tokens/${slug}/${address}`);
      expect(meta.block).toBe(block);
      own.set(address, data);
    }
    const named = [...own.keys()].map((address) => `${slug}:${address}`).slice(0, 50);
    for (const row of (await body(`/tokens?ids=${named}`)).data) same('tokens', row, own.get(row.address));
    for (const row of (await body(`/prices?tokens=${named}`)).data) same('prices', row, own.get(row.address));
    const screened = await listed(`/screener?chain=${slug}&limit=200`, block);
    expect(screened.map(({ address }) => address).sort()).toEqual([...own.keys()].sort());
    for (const row of screened) same('screener', row, own.get(row.address));
    const trending = await listed(`/trending?chain=${slug}&limit=200`, block);
    for (const row of trending) same('trending', row, own.get(row.address));
    for (const board of BOARDS) {
      const rows = await listed(`/launchpad/${board}?chain=${slug}&limit=200`, block);
      const channel = (await snapshot('launchpad', { board })).data;
      expect(channel).toEqual(rows.slice(0, 50));
      for (const row of rows) {
        same(`board ${board}`, row, own.get(row.address));
        expect(row.curve.progressPercent).toBe(own.get(row.address).launchpad.progressPercent);
      }
    }
    for (const [address, data] of closely(own)) {
      const found = (await listed(`/search?chain=${slug}&q=${address}&limit=200`, block)).find(
        (row) => row.address === address,
      );
      same('search', found, data);
      const whole = await snapshot('token', { token: address });
      expect(whole.data).toEqual(data);
      const [price] = (await snapshot('prices', { tokens: [address] })).data;
      same('channel prices', price, data);
      const holders = await body(`/tokens/${slug}/${address}/holders`);
      same('holders', holders, data, ['holders']);
      same('channel holders', await snapshot('holders', { token: address }), data, ['holders']);
      for (const { wallet } of (await body(`/tokens/${slug}/${address}/traders?limit=1`)).data) {
        const held = (await body(`/wallets/${slug}/${wallet}/holdings?limit=200`)).data;
        for (const row of held) if (row.token === address) same('holdings', row, data);
      }
    }
    return { block, seq: headSeq, own };
  }

  it('now, and for who asks for the block later', async () => {
    const served: Awaited<ReturnType<typeof everywhere>>[] = [];
    for (const share of [0.6, 1]) {
      const seq = Math.floor(last * share);
      await harness.advance(seq, Math.floor(seq * 0.7));
      served.push(await everywhere(seq));
    }
    // A block of the same height that came after a retraction is another one.
    const standing = new Set(new NaiveMarket(chain, facts, last).blocks.map(({ seq }) => seq));
    for (const { block, seq, own } of served) {
      if (!standing.has(seq)) continue;
      for (const [address, data] of closely(own)) {
        const then = `asOfBlock=${block}`;
        expect((await body(`/tokens/${slug}/${address}?${then}`)).data).toEqual(data);
        const [price] = (await body(`/prices?tokens=${slug}:${address}&${then}`)).data;
        same('prices as of', price, data);
        same('holders as of', await body(`/tokens/${slug}/${address}/holders?${then}`), data, ['holders']);
      }
    }
    const places = ['tokens', 'prices', 'screener', 'board new', 'board graduated', 'search', 'channel prices'];
    const more = ['holders', 'channel holders', 'prices as of', 'holders as of'];
    expect([...places, ...more].filter((place) => !(place in compared))).toEqual([]);
  });
});
