import { chainSlugs } from '#libs/chain/chains/registry.js';
import { randomMarket } from '#libs/devkit/testing/market/market-harness.js';
import { candleIntervals } from '#libs/serve/contract/rest/queries.js';
import { EventClient, type Frame, SocketClient } from '../src/live/transport/test/live-clients.js';
import { ApiHarness } from './api-harness.js';

/** What the live interface answers to operations that are right and to those that are not, word for word. */
describe('rules of the live interface', () => {
  const market = randomMarket(20_262, { groups: 60 });
  let harness: ApiHarness;
  let token: string;
  let client: SocketClient;
  beforeAll(async () => {
    harness = await ApiHarness.start(market);
    await harness.advance(50, 40);
    const trade = market.facts.flatMap((group) => (group.kind === 'block' ? group.trades : [])).at(-1)!;
    token = `0x${trade.base}`;
  });
  beforeEach(async () => {
    client = await SocketClient.open(`${harness.api.url}/ws`, { headers: { 'x-api-key': harness.key } });
  });
  afterEach(async () => {
    client.socket.close();
    await client.closed;
  });
  afterAll(async () => {
    expect(harness.problems).toEqual([]);
    await harness.close();
  });

  const trades = (more: object = {}) => ({ op: 'subscribe', channel: 'trades', chain: 'eth', token, ...more });
  const refused = (id: unknown, code: string, message: string) => ({ type: 'error', id, code, message });
  const snapshotOf = (id: unknown) => client.next((frame: Frame) => frame.type === 'snapshot' && frame.id === id);

  it.each([
    ['not JSON', '{', 'frames must be JSON'],
    ['empty', '', 'frames must be JSON'],
    ['no object', '[]', 'op must be subscribe, unsubscribe or ping'],
    ['null', 'null', 'op must be subscribe, unsubscribe or ping'],
    ['no op', '{}', 'op must be subscribe, unsubscribe or ping'],
    ['another op', '{"op":"SUBSCRIBE"}', 'op must be subscribe, unsubscribe or ping'],
    ['no channel', '{"op":"subscribe"}', 'channel is required'],
    ['an empty channel', '{"op":"subscribe","channel":""}', 'channel is required'],
    ['another channel', '{"op":"subscribe","channel":"foo"}', 'unknown channel'],
    ['a channel of JavaScript', '{"op":"subscribe","channel":"__proto__"}', 'unknown channel'],
    ['a channel that is no text', '{"op":"subscribe","channel":7}', 'unknown channel'],
    ['no chain', '{"op":"subscribe","channel":"trades","token":"0x"}', 'chain is required'],
    ['no token', '{"op":"subscribe","channel":"trades","chain":"eth"}', 'token is required'],
    ['no token for candles', '{"op":"subscribe","channel":"candles","chain":1}', 'token is required'],
    ['no chain for trending', '{"op":"subscribe","channel":"trending"}', 'chain is required'],
    ['no wallet', '{"op":"subscribe","channel":"wallet","chain":"eth"}', 'wallet is required'],
    [
      'a bad wallet',
      '{"op":"subscribe","channel":"wallet","chain":"eth","wallet":"x"}',
      'wallet is not an EVM address',
    ],
    [
      'no board',
      '{"op":"subscribe","channel":"launchpad","chain":"eth"}',
      'board must be new, graduating or graduated',
    ],
    [
      'another board',
      '{"op":"subscribe","channel":"launchpad","chain":"eth","board":"old"}',
      'board must be new, graduating or graduated',
    ],
    ['no tokens', '{"op":"subscribe","channel":"prices","chain":"eth"}', 'tokens is required'],
    [
      'too many tokens',
      `{"op":"subscribe","channel":"prices","chain":"eth","tokens":[${'"0x1",'.repeat(50)}"0x1"]}`,
      'tokens must be 1 to 50 addresses',
    ],
    [
      'a token that is no text',
      '{"op":"subscribe","channel":"prices","chain":"eth","tokens":[7]}',
      'tokens must be 1 to 50 addresses',
    ],
    [
      'a bad one',
      '{"op":"subscribe","channel":"prices","chain":"eth","tokens":["0x12"]}',
      '0x12 is not an EVM address',
    ],
    [
      'a bad token',
      '{"op":"subscribe","channel":"trades","chain":"eth","token":"0x12"}',
      'token is not an EVM address',
    ],
  ])('says what is wrong: %s', async (_case, text, message) => {
    expect(await client.ask(text)).toEqual(refused(null, 'bad_request', message));
    expect(await client.ask({ op: 'ping', id: 'still there' })).toEqual({ type: 'pong', id: 'still there' });
  });

  it('names field and rule of the other parameters', async () => {
    const cases: [object, string][] = [
      [{ channel: 'candles', interval: '7m' }, `interval must be one of ${candleIntervals.join(', ')}`],
      [{ channel: 'candles', currency: 'eur' }, 'currency must be one of usd, native'],
      [{ resume: { epoch: 1, seq: 1 } }, 'resume must be {epoch, seq} as a frame gave them'],
      [{ resume: { epoch: 'x', seq: -1 } }, 'resume must be {epoch, seq} as a frame gave them'],
    ];
    for (const [fields, message] of cases) {
      expect(await client.ask(trades({ id: 'x', ...fields }))).toEqual(refused('x', 'bad_request', message));
    }
    for (const id of ['', 'x'.repeat(129), 1.5, true, [], {}]) {
      const message = 'id must be a string of 1 to 128 characters or an integer';
      expect(await client.ask(trades({ id }))).toEqual(refused(null, 'bad_request', message));
    }
  });

  it('gives a chain or a token it cannot serve the code of the REST route', async () => {
    const unknownChain = await client.ask(trades({ id: 1, chain: 'foo' }));
    expect(unknownChain).toMatchObject({ type: 'error', id: 1, code: 'bad_request' });
    expect(unknownChain.message).toContain(chainSlugs.join(', '));
    for (const chain of ['sol', 101, 'solana', 'base']) {
      expect(await client.ask(trades({ id: 1, chain }))).toMatchObject({ type: 'error', id: 1, code: 'not_found' });
    }
    const nobody = `0x${'ab'.repeat(20)}`;
    for (const channel of ['trades', 'candles', 'holders', 'traders', 'token', 'pairs']) {
      const route = channel === 'token' || channel === 'pairs' ? '' : `/${channel}`;
      const rest = await harness.get(`/tokens/eth/${nobody}${route}`);
      client.send(trades({ id: 1, channel, token: nobody }));
      const { error } = rest.body;
      const frame = await client.next(({ type }: Frame) => type === 'error');
      expect([rest.status, frame]).toEqual([404, refused(1, error.code, error.message)]);
    }
    // The id of all these is free.
    client.send(trades({ id: 1 }));
    expect((await snapshotOf(1)).data.length).toBeGreaterThan(0);
  });

  it('takes a chain by every name, and a token in any case', async () => {
    const names = ['eth', 'ETH', 'ethereum', 'Ethereum', '1', 1];
    for (const [id, chain] of names.entries()) {
      client.send(trades({ id, chain, token: token.toUpperCase().replace('0X', '0x') }));
      const { data } = await snapshotOf(id);
      expect(data[0].chain).toBe('eth');
    }
    // All of them are the same key.
    expect(harness.api.liveStatus()).toMatchObject({ subscriptions: names.length, keys: 1 });
  });

  it('echoes an id as it was given and numbers a subscription without one', async () => {
    for (const id of ['a', 'x'.repeat(128), 7, -7, '7', 'ü"\\\n']) {
      client.send(trades({ id }));
      expect((await snapshotOf(id)).id).toBe(id);
    }
    client.send(trades({ id: '1' }));
    await snapshotOf('1');
    client.send(trades());
    client.send(trades({ id: null }));
    const ids = [(await client.next(({ type }: Frame) => type === 'subscribed')).id];
    ids.push((await client.next(({ type }: Frame) => type === 'subscribed')).id);
    expect(ids).toEqual(['2', '3']);
  });

  it('refuses an id in use and leaves its subscription alone; unsubscribed, it is free', async () => {
    client.send(trades({ id: 'a' }));
    await snapshotOf('a');
    expect(await client.ask(trades({ id: 'a', channel: 'candles' }))).toEqual(
      refused('a', 'bad_request', 'id already in use'),
    );
    expect(await client.ask({ op: 'unsubscribe', id: 'a' })).toEqual({
      type: 'unsubscribed',
      id: 'a',
      channel: 'trades',
    });
    expect(await client.ask({ op: 'unsubscribe', id: 'a' })).toMatchObject({
      type: 'error',
      id: 'a',
      code: 'bad_request',
    });
    client.send(trades({ id: 'a', channel: 'candles' }));
    expect((await snapshotOf('a')).channel).toBe('candles');
  });

  it('takes 200 subscriptions; the next one is refused, the socket stays, one fewer makes room', async () => {
    for (let id = 1; id <= 200; id++) client.send(trades({ id, channel: id % 2 === 0 ? 'trades' : 'candles' }));
    for (let seen = 0; seen < 200; seen++) await client.next(({ type }: Frame) => type === 'snapshot');
    const message = 'at most 200 subscriptions per socket';
    expect(await client.ask(trades({ id: 201 }))).toEqual(refused(201, 'bad_request', message));
    expect(await client.ask(trades())).toEqual(refused(null, 'bad_request', message));
    expect(await client.ask({ op: 'ping', id: 1 })).toEqual({ type: 'pong', id: 1 });
    await client.ask({ op: 'unsubscribe', id: 100 });
    client.send(trades({ id: 201 }));
    expect((await snapshotOf(201)).channel).toBe('trades');
  });

  it('ignores fields that it does not know', async () => {
    client.send(trades({ id: 'a', wallet: '0x1', tokens: [], balances: true, x: { y: 1 } }));
    expect((await snapshotOf('a')).type).toBe('snapshot');
  });

  it('answers a stream as the routes do before it starts', async () => {
    const cases: [string, number, string, string][] = [
      ['/stream/foo', 404, 'not_found', 'unknown channel'],
      ['/stream/trades', 400, 'bad_request', 'chain is required'],
      ['/stream/trades?chain=eth', 400, 'bad_request', 'token is required'],
      ['/stream/candles?chain=eth&token=0x1', 400, 'bad_request', 'token is not an EVM address'],
      [`/stream/candles?chain=eth&token=${token}&interval=x`, 400, 'bad_request', 'interval must be one of'],
      [`/stream/trades?chain=sol&token=${token}`, 404, 'not_found', 'not indexed by this instance'],
      [`/v1/stream/trades?chain=foo&token=${token}`, 400, 'bad_request', chainSlugs.join(', ')],
    ];
    for (const [path, status, code, message] of cases) {
      const reply = await harness.get(path);
      expect([path, reply.status, reply.body]).toEqual([
        path,
        status,
        { error: { code, message: expect.stringContaining(message) } },
      ]);
    }
    const stream = await EventClient.open(`${harness.api.url}/stream/trades?chain=eth&token=0x${'ab'.repeat(20)}`, {
      'x-api-key': harness.key,
    });
    const { data } = await stream.next(({ event }: Frame) => event === 'error');
    expect(data).toMatchObject({ type: 'error', code: 'not_found' });
    await stream.ended;
    // A browser asks again by itself: first after two seconds, from then on once a minute.
    expect(stream.retries).toEqual(['retry: 2000', 'retry: 60000']);
  });

  it('is named by the chains that have it', async () => {
    const { body } = await harness.get('/chains');
    const channels = Object.fromEntries(body.data.map((row: Frame) => [row.chain, row.channels]));
    expect(channels).toMatchObject({
      eth: expect.arrayContaining([
        'trades',
        'candles',
        'token',
        'prices',
        'pairs',
        'trending',
        'holders',
        'traders',
        'wallet',
        'launchpad',
      ]),
      sol: [],
      bsc: [],
    });
  });
});
