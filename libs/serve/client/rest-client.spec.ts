import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError } from './api-error.js';
import { RestClient } from './rest-client.js';

const KEY = 'tp_secret-of-the-spec';

let server: Server;
let handle: (request: IncomingMessage, response: ServerResponse) => void;
let client: RestClient;
let seen: IncomingMessage[];

beforeEach(async () => {
  seen = [];
  server = createServer((request, response) => {
    seen.push(request);
    handle(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
  client = new RestClient({ baseUrl, apiKey: KEY, timeoutMs: 60_000 });
});

afterEach(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) => {
  handle = (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
};

const failure = async (request: Promise<unknown>): Promise<ApiError> => {
  const error = await request.then(
    () => null,
    (failed: unknown) => failed,
  );
  expect(error).toBeInstanceOf(ApiError);
  expect(String((error as ApiError).stack)).not.toContain(KEY);
  return error as ApiError;
};

it('asks the routes with their parameters, the key in a header', async () => {
  answer(200, { data: [], next: null });
  await client.chains();
  await client.token('eth', '0xA/..', { asOfBlock: 7 });
  await client.trades('eth', '0xa', { limit: 5, wallet: undefined, cursor: 'a+b=' });
  await client.candles('eth', '0xa', { interval: '1M', fill: true });
  await client.screener({ chain: 'eth', limit: 3 });
  await client.search('a b&c', { chain: 'eth' });
  await client.status();
  await client.health();
  expect(seen.map(({ url }) => url)).toEqual([
    '/v1/chains',
    '/v1/tokens/eth/0xA%2F..?asOfBlock=7',
    '/v1/tokens/eth/0xa/trades?limit=5&cursor=a%2Bb%3D',
    '/v1/tokens/eth/0xa/candles?interval=1M&fill=true',
    '/v1/screener?chain=eth&limit=3',
    '/v1/search?chain=eth&q=a+b%26c',
    '/v1/status',
    '/v1/health',
  ]);
  for (const { headers } of seen) expect(headers['x-api-key']).toBe(KEY);
});

it('throws what the service says, with its pause and the id of the request', async () => {
  const headers = { 'retry-after': '2', 'x-request-id': 'r-1' };
  answer(503, { error: { code: 'upstream_unavailable', message: 'eth: it is starting' } }, headers);
  expect(await failure(client.chains())).toMatchObject({
    ...{ code: 'upstream_unavailable', message: 'eth: it is starting', status: 503 },
    ...{ retryAfter: 2, requestId: 'r-1', retryable: true },
  });
  answer(404, { error: { code: 'not_found', message: 'token 0xa is not known on eth' } });
  expect(await failure(client.token('eth', '0xa'))).toMatchObject({ status: 404, retryAfter: null, retryable: false });
});

it('says when an answer is none of the service', async () => {
  answer(200, '<html>');
  expect(await failure(client.chains())).toMatchObject({ code: 'unreadable', status: 200 });
  answer(502, { oops: 1 });
  expect(await failure(client.chains())).toMatchObject({ code: 'unreadable', status: 502, retryable: true });
});

it('takes a readiness that is not ready for an answer', async () => {
  answer(503, { ready: false, reasons: ['eth: it is starting'], warnings: [] });
  expect(await client.ready()).toEqual({ ready: false, reasons: ['eth: it is starting'], warnings: [] });
  answer(503, { error: { code: 'server_busy', message: 'busy' } });
  expect(await failure(client.ready())).toMatchObject({ code: 'server_busy' });
});

it('tells a service that is away from one that does not answer', async () => {
  handle = (request) => void request.socket.destroy();
  expect(await failure(client.chains())).toMatchObject({ code: 'network', status: null, retryable: true });
  handle = () => undefined;
  const { port } = server.address() as AddressInfo;
  const hasty = new RestClient({ baseUrl: `http://127.0.0.1:${port}`, timeoutMs: 20 });
  expect(await failure(hasty.chains())).toMatchObject({ code: 'timeout', status: null });
});

it('sends no key where none is given', async () => {
  const { port } = server.address() as AddressInfo;
  answer(503, { error: { code: 'server_busy', message: 'busy' } });
  await failure(new RestClient({ baseUrl: `http://127.0.0.1:${port}`, timeoutMs: 60_000 }).chains());
  expect(seen.map(({ headers }) => headers['x-api-key'])).toEqual([undefined]);
});

it('gives a caller that gives up its own reason', async () => {
  const abort = new AbortController();
  const reason = new Error('the page was left');
  handle = () => abort.abort(reason);
  await expect(client.chains({ signal: abort.signal })).rejects.toBe(reason);
  await expect(client.chains({ signal: abort.signal })).rejects.toBe(reason);
  expect(seen).toHaveLength(1);
});
