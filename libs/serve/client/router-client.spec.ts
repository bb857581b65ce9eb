import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import { RouterClient } from './router-client.js';
import { RouterError } from './router-error.js';

const KEY = 'tp_secret-of-the-spec';
const [WETH, USDC] = ['0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2', '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'];

let server: Server;
let client: RouterClient;
let next: { status: number; text: string; headers?: Record<string, string> };
let seen: { method: string; url: string; body: string; key: string | undefined; type: string | undefined }[];

beforeEach(async () => {
  seen = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      seen.push({ method: method!, url: url!, body, key: String(headers['x-api-key']), type: headers['content-type'] });
      response.writeHead(next.status, { 'content-type': 'application/json', ...next.headers });
      response.end(next.text);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  client = new RouterClient({ baseUrl, apiKey: KEY, timeoutMs: 60_000 });
});

afterEach(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

const answer = (status: number, body: unknown, headers?: Record<string, string>): void => {
  next = { status, text: typeof body === 'string' ? body : JSON.stringify(body), headers };
};

const refusal = async (request: Promise<unknown>): Promise<RouterError> => {
  const error = await request.then(
    () => null,
    (failed: unknown) => failed,
  );
  expect(error).toBeInstanceOf(RouterError);
  expect(String((error as RouterError).stack)).not.toContain(KEY);
  return error as RouterError;
};

it('asks for quotes with amounts to the last digit, the key in a header', async () => {
  const amount = (2n ** 256n - 1n).toString();
  answer(200, { quoteId: 'q' });
  await client.quote({
    chain: 'eth',
    inputMint: 'native',
    outputMint: USDC,
    amount,
    slippageBps: 50,
    dexes: undefined,
  });
  expect(seen[0]).toMatchObject({
    ...{ method: 'GET', key: KEY, body: '', type: undefined },
    url: `/evm/quote?chain=eth&inputMint=native&outputMint=${USDC}&amount=${amount}&slippageBps=50`,
  });
});

it('sends a quote back as it came', async () => {
  const text = `{"inputMint":"${WETH}","inAmount":"1","timeTaken":0.000123,"contextSlot":7,"quoteId":"q"}`;
  answer(200, text);
  const quoteResponse: EvmQuote = await client.quote({ chain: 'eth', inputMint: WETH, outputMint: USDC, amount: '1' });
  answer(200, { setupTransactions: [] });
  expect(await client.swap({ quoteResponse, userPublicKey: '0x1' })).toEqual({ setupTransactions: [] });
  expect(seen[1]).toMatchObject({
    ...{ method: 'POST', url: '/evm/swap', type: 'application/json', key: KEY },
    body: `{"quoteResponse":${text},"userPublicKey":"0x1"}`,
  });
});

it('throws what the router says, in each of its shapes', async () => {
  const ask = () => client.quote({ chain: 'eth', inputMint: WETH, outputMint: USDC, amount: '1' });
  answer(404, { error: 'no_route', reason: 'no pool connects them' }, { 'x-request-id': 'r-1' });
  expect(await refusal(ask())).toMatchObject({
    ...{ code: 'no_route', message: 'no pool connects them', status: 404, requestId: 'r-1', retryable: false },
    ...{ reasons: [], liquidity: null },
  });
  answer(422, { error: 'low_liquidity', reason: 'too much', liquidity: { maxInAmount: '12', mint: WETH } });
  expect(await refusal(ask())).toMatchObject({ code: 'low_liquidity', liquidity: { maxInAmount: '12', mint: WETH } });
  answer(422, { error: 'low_liquidity', reason: 'too much', liquidity: { maxInAmount: 12, mint: WETH } });
  expect(await refusal(ask())).toMatchObject({ liquidity: null });
  answer(503, { error: 'not_ready', reasons: ['eth: no fresh block head', 'bsc: no RPC'] }, { 'retry-after': '1' });
  expect(await refusal(ask())).toMatchObject({
    ...{ code: 'not_ready', reasons: ['eth: no fresh block head', 'bsc: no RPC'], retryAfter: 1, retryable: true },
    message: 'eth: no fresh block head; bsc: no RPC',
  });
  answer(401, { error: { code: 'unauthorized', message: 'send a key as x-api-key' } });
  expect(await refusal(ask())).toMatchObject({ code: 'unauthorized', status: 401, message: 'send a key as x-api-key' });
  answer(500, { oops: 1 });
  expect(await refusal(ask())).toMatchObject({ code: 'unreadable', status: 500 });
  answer(405, '');
  expect(await refusal(ask())).toMatchObject({ code: 'unreadable', status: 405 });
});

it('asks for lists', async () => {
  answer(200, { data: [], next: null, summary: { count: 0 } });
  await client.receipts();
  await client.receipts({ chain: 'eth', state: 'executed', limit: 5, cursor: 'a+b' });
  await client.solanaReceipts({ state: 'built', limit: 5 });
  await client.chains();
  await client.venues();
  expect(seen.map(({ url }) => url)).toEqual([
    '/evm/receipts',
    '/evm/receipts?chain=eth&state=executed&limit=5&cursor=a%2Bb',
    '/receipts?state=built&limit=5',
    '/evm/chains',
    '/evm/venues',
  ]);
});

it('takes a readiness that is not ready for an answer', async () => {
  answer(503, { ready: false, reasons: ['eth: no RPC configured'], chains: [] });
  expect(await client.ready()).toEqual({ ready: false, reasons: ['eth: no RPC configured'], chains: [] });
  answer(503, { error: 'rpc', reason: 'request_timeout' });
  expect(await refusal(client.ready())).toMatchObject({ code: 'rpc', message: 'request_timeout' });
});

it('tells silence from a refusal', async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
  const error = await client.chains().catch((failed: unknown) => failed);
  expect(error).not.toBeInstanceOf(RouterError);
  expect(error).toMatchObject({ code: 'network', status: null });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
