import { WebSocket } from 'ws';
import { seeds } from '#libs/devkit/testing/market/market-harness.js';
import { marketWith } from '#libs/devkit/testing/market/market-with.js';
import { until } from '#libs/devkit/testing/until.js';
import { emptyCandles, followCandles } from '#libs/serve/client/follow-candles.js';
import { emptyTrades, followTrades } from '#libs/serve/client/follow-trades.js';
import { LiveClient } from '#libs/serve/client/live-client.js';
import type { LiveState } from '#libs/serve/client/live-state.js';
import { EventClient, type Frame, SocketClient } from '../src/live/transport/test/live-clients.js';
import { ApiHarness } from './api-harness.js';

interface Wanted {
  channel: 'trades' | 'candles';
  params: Record<string, string>;
}

/** What the transports send, compared with what REST answers at the same block. */
describe.each(seeds(10))('the live interface and REST (seed %i)', (seed) => {
  // Something is traded in the first third, and nothing in the last block: a client that has it misses nothing.
  const market = marketWith(seed, { groups: 45 }, (_, { facts }) => {
    const newest = facts.at(-1)!;
    if (newest.kind !== 'block' || newest.trades.length > 0) return false;
    return facts
      .slice(0, Math.floor((facts.length - 1) / 3) + 1)
      .some((group) => group.kind === 'block' && group.trades.length > 0);
  });
  const last = market.facts.length - 1;
  const first = Math.floor(last / 3);
  let harness: ApiHarness;
  let sockets: string;
  /** The tokens that trade most. */
  let tokens: string[];
  beforeAll(async () => {
    harness = await ApiHarness.start(market);
    await harness.advance(first, Math.floor(first * 0.7));
    sockets = await harness.api.serveSockets({ bind: '127.0.0.1', port: 0 });
    const counts = new Map<string, number>();
    for (const group of market.facts) {
      if (group.kind !== 'block' || group.seq > first) continue;
      for (const trade of group.trades) counts.set(trade.base, (counts.get(trade.base) ?? 0) + 1);
    }
    tokens = [...counts].sort(([, a], [, b]) => b - a).map(([token]) => `0x${token}`);
    tokens.length = Math.min(tokens.length, 3);
    expect(tokens.length).toBeGreaterThan(0);
  });
  afterAll(async () => {
    expect(harness.problems).toEqual([]);
    await harness.close();
  });

  const key = () => ({ 'x-api-key': harness.key });
  const wanted = () =>
    tokens.flatMap((token): Wanted[] => [
      { channel: 'trades', params: { chain: 'eth', token } },
      { channel: 'candles', params: { chain: 'eth', token } },
      { channel: 'candles', params: { chain: 'eth', token, interval: '15s', currency: 'native' } },
    ]);
  const rest = async (channel: string, { token, ...params }: Record<string, string>) => {
    const { body, status } = await harness.get(`/tokens/eth/${token}/${channel}?${new URLSearchParams(params)}`);
    expect(status).toBe(200);
    return { data: body.data, meta: body.meta };
  };

  it('answer the same at the same block through every door', async () => {
    const doors = [`${harness.api.url}/ws`, `${harness.api.url}/v1/ws`, sockets, `${sockets}/v1/ws`];
    const clients = await Promise.all(doors.map((url) => SocketClient.open(url, { headers: key() })));
    for (const { channel, params } of wanted()) {
      const expected = await rest(channel, params);
      for (const client of clients) {
        client.send({ op: 'subscribe', id: 1, channel, ...params });
        const { data, meta } = await client.next(({ type }: Frame) => type === 'snapshot');
        expect({ data, meta }).toEqual(expected);
        await client.ask({ op: 'unsubscribe', id: 1 });
      }
      for (const prefix of ['', '/v1']) {
        const query = new URLSearchParams(params);
        const stream = await EventClient.open(`${harness.api.url}${prefix}/stream/${channel}?${query}`, key());
        const { data: frame } = await stream.next(({ event }: Frame) => event === 'snapshot');
        expect({ data: frame.data, meta: frame.meta }).toEqual(expected);
        stream.close();
      }
    }
    for (const { socket } of clients) socket.terminate();
  });

  it('stay the same while blocks come and are taken back, also over lost connections', async () => {
    const states: LiveState[] = [];
    const held: WebSocket[] = [];
    class HeldSocket extends WebSocket {
      constructor(url: string) {
        super(url);
        held.push(this);
      }
    }
    const live = new LiveClient({
      url: `${harness.api.url}/ws`,
      apiKey: harness.key,
      WebSocket: HeldSocket,
      retryMs: 5,
    });
    live.onState((state) => void states.push(state));
    const followed = wanted().map(({ channel, params }) => {
      const { chain, token, interval, currency } = params as { chain: string; token: string } & Record<string, string>;
      const view = { channel, params, trades: emptyTrades(), candles: emptyCandles() };
      if (channel === 'trades') {
        live.subscribe({ channel, chain, token }, (frame) => {
          view.trades = followTrades(view.trades, frame);
        });
      } else {
        live.subscribe({ channel, chain, token, interval, currency: currency as 'native' }, (frame) => {
          view.candles = followCandles(view.candles, frame);
        });
      }
      return view;
    });
    const streams = await Promise.all(
      wanted().map(async ({ channel, params }) => {
        const url = `${harness.api.url}/stream/${channel}?${new URLSearchParams(params)}`;
        return { channel, params, url, client: await EventClient.open(url, key()), id: null as string | null };
      }),
    );

    /** Everything that was published before is handed out when a later operation on the same socket is answered. */
    const settled = async (): Promise<void> => {
      const { token } = followed[0]!.params;
      await new Promise<void>((done, failed) => {
        const stop = live.subscribe({ channel: 'trades', chain: 'eth', token: token! }, (frame) => {
          if (frame.type === 'error') failed(new Error(frame.message));
          if (frame.type !== 'snapshot') return;
          stop.unsubscribe();
          done();
        });
      });
    };

    let step = 0;
    for (let seq = first; seq < last; step++) {
      seq = Math.min(last, seq + 1 + (step % 4));
      if (step % 2 === 1) held.at(-1)!.terminate();
      await harness.advance(seq, Math.floor(seq * 0.7));
      await settled();
      for (const view of followed) {
        const expected = await rest(view.channel, view.params);
        const shown = () => (view.channel === 'trades' ? view.trades.trades : view.candles.candles);
        const isThere = () => JSON.stringify(shown().at(0)) === JSON.stringify(expected.data.at(0));
        const isWhole = () => JSON.stringify(shown().slice(-expected.data.length)) === JSON.stringify(expected.data);
        // A subscription that is taken up again may be answered after the one that was made for this.
        await until(`the rows of REST at ${seq} (seed ${seed})`, view.channel === 'trades' ? isThere : isWhole);
        if (view.channel === 'trades') {
          const rows = view.trades.trades.slice(0, 50);
          expect({ seed, seq, rows }).toEqual({ seed, seq, rows: expected.data.slice(0, rows.length) });
          expect(rows.length > 0).toBe(expected.data.length > 0);
        } else {
          const rows = view.candles.candles.slice(-expected.data.length);
          expect({ seed, seq, rows }).toEqual({ seed, seq, rows: expected.data });
        }
      }
    }
    // Two more losses with nothing new after them. The first may reload: tags can follow a trade at its own position, and
    // candles do not continue over a retraction. After the second every place is that of the newest block.
    const outcome = () => (live.state.name === 'live' ? live.state.recovery?.outcome : 'pending');
    for (let loss = 0; loss < 2; loss++) {
      held.at(-1)!.terminate();
      await settled();
      await until(`every subscription was taken up again (seed ${seed})`, () => outcome() !== 'pending');
    }
    expect(outcome()).toBe('nothing missed');
    expect(states.filter(({ name }) => name === 'lost').length).toBeGreaterThan(2);
    live.close();

    // Streams read all of it at their own pace; a second one that continues from the middle sees the very same rest.
    for (const { channel, params, url, client } of streams) {
      const expected = await rest(channel, params);
      let trades = emptyTrades();
      let candles = emptyCandles();
      const seen: { id: string | null; data: Frame }[] = [];
      const same = (): boolean =>
        channel === 'trades'
          ? trades.trades.length > 0 &&
            JSON.stringify(trades.trades.slice(0, 50)) === JSON.stringify(expected.data.slice(0, trades.trades.length))
          : JSON.stringify(candles.candles.slice(-expected.data.length)) === JSON.stringify(expected.data);
      do {
        const event = await client.next();
        if (event.id !== null) expect(event.id).toBe(`${event.data.epoch}:${event.data.seq}`);
        seen.push(event);
        if (channel === 'trades') trades = followTrades(trades, event.data);
        else candles = followCandles(candles, event.data);
      } while (!same() || client.inbox.frames.length > 0);
      client.close();
      const middle = seen.filter(({ id }) => id !== null);
      const from = middle[Math.floor(middle.length / 2)]!;
      const again = await EventClient.open(url, { ...key(), 'last-event-id': from.id! });
      const { data: subscribed } = await again.next();
      if (subscribed.resumed && channel === 'trades') {
        for (const missed of seen.slice(seen.indexOf(from) + 1).filter(({ id }) => id !== null)) {
          expect((await again.next()).data).toEqual(missed.data);
        }
      } else if (!subscribed.resumed) expect((await again.next()).data.data).toEqual(expected.data);
      again.close();
    }
  });
});
