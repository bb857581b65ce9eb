import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from '#libs/devkit/testing/until.js';
import { Answer } from './answer.js';
import { createListener, type Listener, type ListenerOptions } from './listener.js';
import { HttpProblem } from './problem.js';
import type { HttpRoute } from './routes.js';
import { StoppedClock } from './test/stopped-clock.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const size = ({ body }: { body?: unknown }): Answer =>
  Answer.json({ bytes: (body as Buffer | undefined)?.length ?? 0 });
const routes: HttpRoute[] = [
  { method: 'GET', path: '/size', open: true, handle: size },
  { method: 'POST', path: '/size', open: true, handle: size },
];

/** One connection on which a spec writes what no client library would. */
class RawClient {
  text = '';

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('utf8');
    socket.on('data', (piece: string) => {
      this.text += piece;
    });
    socket.on('error', () => undefined);
  }

  static async open(listener: Listener): Promise<RawClient> {
    const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  write(text: string): Promise<void> {
    return new Promise((done) => void this.socket.write(text, () => done()));
  }

  /** The next whole answer. */
  async answer(): Promise<{ status: number; head: string; body: unknown }> {
    for (;;) {
      const end = this.text.indexOf('\r\n\r\n');
      const head = this.text.slice(0, Math.max(0, end));
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? Number.NaN);
      if (end >= 0 && this.text.length >= end + 4 + length) {
        const body = JSON.parse(this.text.slice(end + 4, end + 4 + length)) as unknown;
        this.text = this.text.slice(end + 4 + length);
        return { status: Number(head.slice(9, 12)), head, body };
      }
      await once(this.socket, 'data');
    }
  }

  async ended(): Promise<void> {
    if (!this.socket.closed) await once(this.socket, 'close');
  }

  destroy(): void {
    this.socket.destroy();
  }
}

describe('limits of a request', () => {
  const clock = new StoppedClock();
  const open: { listener: Listener | null; clients: RawClient[] } = { listener: null, clients: [] };

  async function listen(more: Partial<ListenerOptions> = {}): Promise<Listener> {
    open.listener = await createListener({
      ...{ routes, accounts: null, host: '127.0.0.1', port: 0, logger: silent, clock },
      errorBody: ({ code, message }) => ({ error: { code, message } }),
      ...more,
    });
    return open.listener;
  }
  async function client(more?: Partial<ListenerOptions>): Promise<RawClient> {
    const made = await RawClient.open(open.listener ?? (await listen(more)));
    open.clients.push(made);
    return made;
  }
  afterEach(async () => {
    for (const each of open.clients.splice(0)) each.destroy();
    await open.listener?.close();
    open.listener = null;
    clock.waiting.clear();
  });
  it('answers 408 when a body does not arrive in time, and ends the connection', async () => {
    const stalled = await client();
    await stalled.write('POST /size HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{');
    await until(() => clock.waiting.size === 1, { everyMs: 0 });
    expect([...clock.waiting][0]!.ms).toBe(10_000);
    clock.pass();
    const { status, head, body } = await stalled.answer();
    expect(status).toBe(408);
    expect(body).toEqual({ error: { code: 'timeout', message: expect.stringContaining('in time') } });
    expect(head).toMatch(/^connection: close$/im);
    await stalled.ended();
  });

  it('answers in the words of its listener', async () => {
    const timeout = () => new HttpProblem(503, 'rpc', 'request_timeout', { 'retry-after': '1' });
    const stalled = await client({ timeout });
    await stalled.write('POST /size HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
    await until(() => clock.waiting.size === 1, { everyMs: 0 });
    clock.pass();
    const { status, head, body } = await stalled.answer();
    expect([status, body]).toEqual([503, { error: { code: 'rpc', message: 'request_timeout' } }]);
    expect(head).toMatch(/^retry-after: 1$/im);
  });

  it('lets a body take its time in pieces and forgets the limit with its end', async () => {
    const slow = await client();
    await slow.write('POST /size HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nab');
    await until(() => clock.waiting.size === 1, { everyMs: 0 });
    await slow.write('cd');
    expect((await slow.answer()).body).toEqual({ bytes: 4 });
    expect(clock.waiting.size).toBe(0);
  });

  it('answers 408 when a head does not arrive in time, with a body that says so', async () => {
    const stalled = await client({ limits: { headersMs: 40, checkMs: 10 } });
    await stalled.write('GET /size HTTP/1.1\r\nhost: x\r\nx-half: ');
    const { status, head, body } = await stalled.answer();
    expect([status, body]).toEqual([408, { error: { code: 'timeout', message: expect.any(String) } }]);
    expect(head).toMatch(/^x-request-id: .+$/im);
    await stalled.ended();
  });

  it.each([20_000, 100_000])('answers 414 for an address of %i bytes', async (bytes) => {
    const long = await client();
    void long.write(`GET /size?pad=${'a'.repeat(bytes)} HTTP/1.1\r\nhost: x\r\n\r\n`);
    const { status, body } = await long.answer();
    expect([status, body]).toEqual([
      414,
      { error: { code: 'too_large', message: expect.stringContaining('address') } },
    ]);
  });

  it.each([20_000, 100_000, 300_000])('answers 431 for headers of %i bytes', async (bytes) => {
    const long = await client();
    const headers = Array.from({ length: bytes / 1_000 }, (_, nth) => `x-pad-${nth}: ${'a'.repeat(985)}\r\n`);
    void long.write(`GET /size HTTP/1.1\r\nhost: x\r\n${headers.join('')}\r\n`);
    const { status, body } = await long.answer();
    expect([status, body]).toEqual([
      431,
      { error: { code: 'too_large', message: expect.stringContaining('headers') } },
    ]);
  });

  it('takes what is just within both', async () => {
    const long = await client();
    await long.write(`GET /size?pad=${'a'.repeat(16_000)} HTTP/1.1\r\nhost: x\r\nx-pad: ${'a'.repeat(16_000)}\r\n\r\n`);
    expect((await long.answer()).status).toBe(200);
  });

  it('says that the host is missing', async () => {
    const nameless = await client();
    await nameless.write('GET /size HTTP/1.1\r\n\r\n');
    const { status, body } = await nameless.answer();
    expect([status, body]).toEqual([400, { error: { code: 'bad_request', message: 'the header host is missing' } }]);
    // HTTP/1.0 knows no such header.
    await nameless.write('GET /size HTTP/1.0\r\n\r\n');
    expect((await nameless.answer()).status).toBe(200);
  });

  it('reads an upload that is too large to its end, and goes on with the connection', async () => {
    const large = await client();
    await large.write(`POST /size HTTP/1.1\r\nhost: x\r\ncontent-length: 300000\r\n\r\n${'x'.repeat(299_999)}`);
    await until(() => clock.waiting.size === 1, { everyMs: 0 });
    expect(large.text).toBe('');
    await large.write('x');
    expect((await large.answer()).status).toBe(413);
    await large.write('POST /size HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nab');
    expect((await large.answer()).body).toEqual({ bytes: 2 });
  });

  it('reads no more than a mebibyte of it, and waits no longer than for any body', async () => {
    const endless = await client();
    void endless.write(`POST /size HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999\r\n\r\n${'x'.repeat(1_100_000)}`);
    const { status, head, body } = await endless.answer();
    expect([status, body]).toEqual([413, { error: { code: 'too_large', message: expect.stringContaining('262144') } }]);
    expect(head).toMatch(/^connection: close$/im);

    const stalled = await client();
    await stalled.write(`POST /size HTTP/1.1\r\nhost: x\r\ncontent-length: 300000\r\n\r\n${'x'.repeat(290_000)}`);
    await until(() => clock.waiting.size === 1, { everyMs: 0 });
    clock.pass();
    expect([408, 413]).toContain((await stalled.answer()).status);
  });
});
