import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { randomMarket } from '#libs/devkit/testing/market/market-harness.js';
import { until, within } from '#libs/devkit/testing/until.js';
import { SocketClient } from '../src/live/transport/test/live-clients.js';
import { HANDSHAKE } from '../src/live/transport/test/transport-harness.js';
import { ApiHarness } from './api-harness.js';

/** The api ends within a bound, whatever its clients do or leave undone. */
describe('the end of the api', () => {
  const market = randomMarket(20_263, { groups: 60 });
  const held: Socket[] = [];
  const clients: SocketClient[] = [];
  let harness: ApiHarness;
  let token: string;
  let sockets: string;
  beforeEach(async () => {
    harness = await ApiHarness.start(market);
    await harness.advance(50, 40);
    const trade = market.facts.flatMap((group) => (group.kind === 'block' ? group.trades : [])).at(-1)!;
    token = `0x${trade.base}`;
    sockets = await harness.api.serveSockets({ bind: '127.0.0.1', port: 0 });
  });
  afterEach(async () => {
    for (const socket of held.splice(0)) socket.destroy();
    for (const { socket } of clients.splice(0)) socket.terminate();
    await within('the end of the api', harness.close());
    expect(harness.problems).toEqual([]);
  });

  /** A connection that sends this much, hears the beginning of an answer if there is to be one, and reads no more. */
  async function hold(url: string, text: string, answer: string): Promise<void> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    held.push(socket);
    socket.on('error', () => undefined);
    await within('a connection', once(socket, 'connect'));
    socket.write(text);
    if (answer !== '') {
      const [first] = (await within('an answer', once(socket, 'data'))) as [Buffer];
      expect(first.toString('latin1').split('\r\n', 1)[0]).toBe(answer);
    }
    socket.pause();
  }

  /** A socket with so many subscriptions that stops reading after its first answer. */
  async function holdSocket(url: string, subscriptions: number): Promise<void> {
    const headers = { 'x-api-key': harness.key };
    const client = await SocketClient.open(url, { headers, perMessageDeflate: false });
    clients.push(client);
    await client.ask({ op: 'ping' });
    client.socket.pause();
    for (let id = 1; id <= subscriptions; id++) {
      client.send({ op: 'subscribe', id, channel: 'trades', chain: 'eth', token });
    }
  }

  const get = (path: string, headers: Record<string, string>): string =>
    [`GET ${path} HTTP/1.1`, 'host: localhost', ...Object.entries(headers).map((pair) => pair.join(': '))].join('\r\n');

  it('waits for nobody who neither reads nor says goodbye', async () => {
    const { api, key } = harness;
    const known = { 'x-api-key': key };
    const stream = `/stream/trades?chain=eth&token=${token}`;
    for (const url of [api.url, sockets]) {
      await hold(url, '', '');
      await hold(url, 'GET /hea', '');
      await hold(url, `${get('/health', {})}\r\n\r\n`, 'HTTP/1.1 200 OK');
      await hold(url, `${get('/ws', HANDSHAKE)}\r\n\r\n`, 'HTTP/1.1 401 Unauthorized');
      await hold(url, `${get('/ws', { ...HANDSHAKE, ...known })}\r\n\r\n`, 'HTTP/1.1 101 Switching Protocols');
      await holdSocket(`${url}/ws`, 200);
    }
    await hold(api.url, `${get(stream, known)}\r\n\r\n`, 'HTTP/1.1 200 OK');
    await until('every subscription', () => api.liveStatus().subscriptions === 401);
    expect(api.liveStatus()).toMatchObject({ sockets: 4, streams: 1 });
    await within('the end of the api', api.close());
    expect(api.liveStatus()).toMatchObject({ sockets: 0, streams: 0, connections: 0, subscriptions: 0 });
  });
});
