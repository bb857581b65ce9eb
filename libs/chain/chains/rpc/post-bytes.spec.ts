import { getEventListeners, getMaxListeners, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { type Post, postBytes } from './post-bytes.js';

describe('postBytes', () => {
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const server = createServer((request, response) => answer(request, response));
  const agent = new Agent({ connections: 1, pipelining: 1 });
  let url: URL;

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/path?key=1`);
  });
  afterAll(async () => {
    await agent.destroy();
    server.closeAllConnections();
    server.close();
  });

  const post = (given: Partial<Post> = {}, signal?: AbortSignal) =>
    postBytes(
      agent,
      {
        ...{ url, headers: { 'content-type': 'application/json' }, body: '{}', timeoutMs: 60_000, mostBytes: 1_000 },
        ...{ tooLarge: () => new Error('too large'), ...given },
      },
      signal,
    );
  const fine = () => {
    answer = async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.writeHead(207, { 'x-path': request.url }).write(`${request.method} `);
      response.end(Buffer.concat(parts));
    };
  };

  it('gives status, headers and the whole body', async () => {
    fine();
    const { status, headers, body } = await post({ body: '{"a":1}' });
    expect([status, headers['x-path'], body.joined().toString()]).toEqual([207, '/path?key=1', 'POST {"a":1}']);
  });

  it('is called many times with one signal, without a warning, and leaves nothing at it', async () => {
    fine();
    const { signal } = new AbortController();
    const all = Array.from({ length: 20 }, () => post({}, signal));
    expect(getEventListeners(signal, 'abort')).toHaveLength(20);
    // Node warns of more than this.
    expect(getMaxListeners(signal)).toBe(Number.POSITIVE_INFINITY);
    await Promise.all(all);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends a body that is too large, one that stays away, and one that stops; the next one is served', async () => {
    answer = (_, response) => response.end(Buffer.alloc(1_001));
    await expect(post()).rejects.toThrow('too large');
    answer = () => undefined;
    await expect(post({ timeoutMs: 50 })).rejects.toThrow('no whole answer in time');
    answer = (_, response) => response.writeHead(200).write('{');
    await expect(post({ timeoutMs: 50 })).rejects.toThrow('no whole answer in time');
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{');
      setImmediate(() => response.destroy());
    };
    await expect(post()).rejects.toThrow();
    fine();
    expect((await post()).status).toBe(207);
  });

  it('ends by its signal: before it is sent, while it waits for a connection, and while it runs', async () => {
    fine();
    const reason = new Error('given up');
    await expect(post({}, AbortSignal.abort(reason))).rejects.toBe(reason);
    const [first, second] = [new AbortController(), new AbortController()];
    let asked = 0;
    answer = () => {
      asked++;
      second.abort(reason);
      setImmediate(() => first.abort(reason));
    };
    // The one connection is taken: the second one waits for it.
    const both = [post({}, first.signal), post({}, second.signal)];
    expect(await Promise.allSettled(both)).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    fine();
    expect((await post()).status).toBe(207);
    expect(asked).toBe(1);
  });
});
