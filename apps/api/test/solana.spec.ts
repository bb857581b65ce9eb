import { chainManifests } from '#libs/chain/chains/registry.js';
import { seeds, servedMarket } from '#libs/devkit/testing/market/market-harness.js';
import { marketWith } from '#libs/devkit/testing/market/market-with.js';
import { NaiveMarket } from '#libs/devkit/testing/market/naive-market.js';
import { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { FactsBlock, TradeFact } from '#libs/protocol/facts.js';
import { SocketClient } from '../src/live/transport/test/live-clients.js';
import { ApiHarness, type Reply } from './api-harness.js';

/** A random market of a chain like Solana over REST and live: its names, its ids, its pages. */
describe('a Solana chain through the doors', () => {
  const [seed] = seeds(1) as [number];
  // The coin is known, something is traded, and a token but the coin says what there is of it.
  const market = marketWith(
    seed,
    { family: 'solana', groups: 110, retractions: 0.1, deepest: 20 },
    (naive, { chain }) => {
      const coin = chain.wrappedNative.token;
      const telling = naive.tokens().filter(({ totalSupply, decimals }) => totalSupply !== null && decimals !== null);
      const traded = naive.blocks.some(({ trades }) => trades.length > 0);
      return (
        traded && naive.tokens().some(({ token }) => token === coin) && telling.some(({ token }) => token !== coin)
      );
    },
  );
  const { ids } = market.chain;
  const last = market.facts.length - 1;
  let harness: ApiHarness;

  beforeAll(async () => {
    harness = await ApiHarness.start(market);
    await harness.advance(last, Math.floor(last / 2));
  });
  afterAll(() => harness.close());

  const aliveBlocks = (): FactsBlock[] => {
    let blocks = market.facts.filter((group) => group.kind === 'block');
    for (const group of market.facts) {
      if (group.kind === 'retract') blocks = blocks.filter(({ seq }) => seq < group.fromSeq || seq > group.seq);
    }
    return blocks;
  };
  const alive = (): TradeFact[] => aliveBlocks().flatMap((block) => block.trades);
  /** The token of the most trades. */
  const busiest = (): string => {
    const counts = new Map<string, number>();
    for (const { base, quote } of alive())
      for (const token of [base, quote]) counts.set(token, (counts.get(token) ?? 0) + 1);
    return ids.formatAddress([...counts].sort((a, b) => b[1] - a[1])[0]![0]);
  };

  it(`answers the same under every name and id that the chain has or had (seed ${seed})`, async () => {
    const { aliases, formerIds, networkId } = chainManifests.all.find(({ slug }) => slug === 'sol')!;
    expect([...aliases, networkId, ...formerIds!]).toEqual(['solana', 101, 1399811149]);
    const token = busiest();
    for (const rest of ['', '/trades?limit=20', '/candles?interval=1h']) {
      const { status, text } = await harness.get(`/tokens/sol/${token}${rest}`);
      expect(status).toBe(200);
      for (const name of ['SOL', ...aliases, 'Solana', networkId, ...formerIds!]) {
        expect((await harness.get(`/tokens/${name}/${token}${rest}`)).text).toBe(text);
      }
    }
    const { data } = (await harness.get('/chains')).body;
    expect(data[0]).toMatchObject({
      ...{ chain: 'sol', aliases: ['solana'], networkId: 101, chainId: null, family: 'solana' },
      nativeCurrency: { name: 'Solana', symbol: 'SOL', decimals: 9 },
    });
    expect((await harness.get('/chains')).text).not.toContain('1399811149');
  });

  it('writes addresses, signatures and hashes in base58 and names the coin by its plain symbol', async () => {
    const token = busiest();
    const { data, meta } = await harness.documented(`/tokens/sol/${token}/trades?limit=200`, 'TradesAnswer');
    expect(data.length).toBeGreaterThan(0);
    for (const row of data) {
      for (const address of [row.token, row.pool, row.wallet, row.quoteToken]) {
        expect(ids.parseAddress(address)).toHaveLength(64);
      }
      expect(ids.parseTx(row.signature)).toHaveLength(128);
      expect(row.id.startsWith(`${row.signature}-`)).toBe(true);
      expect(row.quoteSymbol).not.toBe('WSOL');
    }
    expect(ids.parseAddress(meta.blockHash)).toHaveLength(64);
    const wallets = new Map(alive().map((trade) => [`${ids.formatTx(trade.tx)}-${trade.txOrdinal}`, trade.wallet]));
    for (const row of data) expect(row.wallet).toBe(ids.formatAddress(wallets.get(row.id)!));
  });

  it(`never ends a page of trades inside a transaction, and pages leave nothing out (seed ${seed})`, async () => {
    const random = new SeededRandom(seed);
    const token = busiest();
    const id = ids.parseAddress(token)!;
    const expected = alive().filter(({ base, quote }) => base === id || quote === id).length;
    for (const limit of [1, random.int(2, 6)]) {
      const seen: { id: string; signature: string }[] = [];
      let over = 0;
      for (let path: string | null = `/tokens/sol/${token}/trades?limit=${limit}`; path !== null; ) {
        const { data, next }: Reply['body'] = (await harness.get(path)).body;
        const before = seen.at(-1)?.signature;
        if (data.length > 0) expect(data[0].signature).not.toBe(before);
        if (data.length > limit) {
          over++;
          const tail = new Set(data.slice(limit - 1).map(({ signature }: { signature: string }) => signature));
          expect(tail.size).toBe(1);
        }
        seen.push(...data);
        path = next === null ? null : `/tokens/sol/${token}/trades?limit=${limit}&cursor=${next}`;
      }
      expect(new Set(seen.map((row) => row.id)).size).toBe(seen.length);
      expect(seen.length).toBe(expected);
      const several = seen.some((row, index) => row.signature === seen[index + 1]?.signature);
      if (limit === 1) expect(over > 0).toBe(several);
    }
  });

  it('does not take the empty mint of wrapped SOL for a supply', async () => {
    const { wrappedNative } = market.chain;
    const { data } = await harness.documented(`/tokens/sol/${ids.formatAddress(wrappedNative.token)}`, 'TokenAnswer');
    expect(data).toMatchObject({ supply: null, fdvUsd: null });
    // A market has tokens that say nothing of their supply as well.
    const records = aliveBlocks().flatMap(({ tokens }) => tokens);
    const telling = records.find(
      ({ token, totalSupply, decimals }) => token !== wrappedNative.token && totalSupply !== null && decimals !== null,
    )!;
    const counted = await harness.documented(`/tokens/sol/${ids.formatAddress(telling.token)}`, 'TokenAnswer');
    expect(counted.data.supply).toMatch(/^\d/);
  });

  it('says of a slot without a block, and of one to come, that it is none', async () => {
    const path = `/tokens/sol/${busiest()}`;
    const head = market.facts.reduce((highest, { height }) => Math.max(highest, height), 0);
    const { status, body } = await harness.get(`${path}?asOfBlock=${head + 1}`);
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'bad_request' });
    expect(body.error.message).toBe(
      `asOfBlock must be a slot with an indexed block at or below the head: ${head + 1} is not`,
    );
  });

  it('refuses what is no 32-byte key, naming the field and the rule', async () => {
    const evm = `0x${'ab'.repeat(20)}`;
    for (const wrong of ['abc', evm, 'l'.repeat(44), '1'.repeat(31), `${busiest()}11`]) {
      for (const rest of ['', '/trades', '/candles']) {
        const { status, body } = await harness.get(`/tokens/sol/${wrong}${rest}`);
        expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'bad_request' });
        expect(body.error.message).toBe('address must be an address of sol: base58 of 32 bytes');
      }
      const wallet = await harness.get(`/tokens/sol/${busiest()}/trades?wallet=${wrong}`);
      expect(wallet.status).toBe(400);
      expect(wallet.body.error.message).toContain('wallet must be an address of sol');
    }
  });

  it('is subscribed to by its id, and says in live terms what is no address', async () => {
    const client = await SocketClient.open(`${harness.api.url}/ws`, { headers: { 'x-api-key': harness.key } });
    try {
      const token = busiest();
      client.send({ op: 'subscribe', id: 'a', channel: 'trades', chain: 101, token });
      const snapshot = await client.next((frame) => frame.type === 'snapshot');
      expect(snapshot.data[0].chain).toBe('sol');
      const refused = { op: 'subscribe', id: 'b', channel: 'candles', chain: 'sol', token: 'abc' };
      expect(await client.ask(refused)).toMatchObject({
        ...{ type: 'error', id: 'b', code: 'bad_request', message: 'token is not a Solana address' },
      });
    } finally {
      client.socket.close();
      await client.closed;
    }
  });
});

/** Before the tables of the chain are there it waits by name, and nothing of it is a failure. */
describe('a Solana chain that cannot be served yet', () => {
  const [seed] = seeds(1) as [number];
  const market = servedMarket(seed, { family: 'solana', groups: 60 });
  const { token } = new NaiveMarket(market.chain, market.facts, 59).tokens()[0]!;
  const path = `/tokens/sol/${market.chain.ids.formatAddress(token)}`;
  let harness: ApiHarness;
  beforeAll(async () => {
    harness = await ApiHarness.start(market);
  });
  afterAll(() => harness.close());

  it('answers 503 with Retry-After, after the other checks, says why in /ready and /status, and recovers', async () => {
    for (const route of ['', '/trades', '/candles']) {
      const { status, headers, body } = await harness.get(path + route);
      expect({ status, code: body.error.code }).toEqual({ status: 503, code: 'upstream_unavailable' });
      expect(body.error.message).toBe('sol cannot be served now: it has no tables yet');
      expect(headers.get('retry-after')).toBe('2');
      expect((await harness.get(`${path}${route}?asOfBlock=x`)).status).toBe(400);
      expect((await harness.get(`/tokens/sol/abc${route}`)).status).toBe(400);
      expect((await harness.get(path + route, { key: null })).status).toBe(401);
    }
    const ready = await harness.get('/ready', { key: null });
    expect(ready.status).toBe(503);
    const reasons = ['sol cannot be served now: it has no tables yet'];
    expect(ready.body).toEqual({ ready: false, reasons, warnings: [] });
    const [told] = (await harness.get('/status')).body.data.chains;
    expect(told).toMatchObject({ chain: 'sol', name: 'Solana', state: 'unknown', indexed: null, head: null });
    expect(told.trouble).toMatch(/^nothing was heard of the process that reads the chain/);
    expect((await harness.get('/chains')).body.data[0]).toMatchObject({ chain: 'sol', head: null });

    await harness.advance(59, 40);
    for (const route of ['', '/trades', '/candles']) expect((await harness.get(path + route)).status).toBe(200);
    expect((await harness.get('/ready', { key: null })).body).toEqual({ ready: true, reasons: [], warnings: [] });
    expect(harness.problems).toEqual([]);
  });
});
