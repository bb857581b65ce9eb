import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { hostileUrls } from '#libs/devkit/testing/hostile-urls.js';
import { guardedAgent } from './guarded-agent.js';
import type { FetchParts } from './guarded-fetch.js';
import { OutboundRefusal } from './outbound-refusal.js';

const rules = { schemes: ['https', 'http'] as const, timeoutMs: 5_000 };

async function refusal(url: string, parts: FetchParts = {}, more: object = {}): Promise<string> {
  try {
    const { agent } = await guardedAgent(url, { ...rules, ...more }, parts);
    await agent.destroy();
    return 'let through';
  } catch (error) {
    return error instanceof OutboundRefusal ? error.reason : String(error);
  }
}

it('opens no connection to what guardedFetch refuses', async () => {
  const noDns: FetchParts = {
    resolve: async (host) => {
      throw new Error(`${host} was looked up`);
    },
  };
  let refused = 0;
  for (const [reason, urls] of hostileUrls) {
    for (const url of urls) {
      expect({ url, reason: await refusal(url, noDns) }).toEqual({ url, reason });
      refused++;
    }
  }
  expect(refused).toBeGreaterThanOrEqual(90);
  const to = (...addresses: string[]): FetchParts => ({
    resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  });
  for (const inner of [['127.0.0.1'], ['8.8.8.8', '10.0.0.1'], ['::1'], ['2606:4700::1111', 'fd00::1']]) {
    expect(await refusal('https://name.example.com/', to(...inner))).toBe('address');
  }
  expect(await refusal('https://name.example.com/', to('8.8.8.8'))).toBe('let through');
  const never: FetchParts = { resolve: () => new Promise(() => undefined) };
  expect(await refusal('https://name.example.com/', never, { timeoutMs: 20 })).toBe('time');
});

it('connects to what was checked, whatever the name leads to later', async () => {
  let looks = 0;
  const server = createServer((_request, response) => response.end('good'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.2', done));
  const { port } = server.address() as AddressInfo;
  const parts: FetchParts = {
    isPublic: (address) => address === '127.0.0.2',
    resolve: async () => [{ address: looks++ === 0 ? '127.0.0.2' : '127.0.0.1', family: 4 }],
  };
  const url = `http://name.example.com:${port}/`;
  const opened = await guardedAgent(url, { ...rules, ports: [port] }, parts);
  try {
    for (let n = 0; n < 3; n++) {
      const { body } = await request(opened.url, { dispatcher: opened.agent });
      expect(await body.text()).toBe('good');
    }
    expect(looks).toBe(1);
    expect(await refusal(url, parts, { ports: [port] })).toBe('address');
  } finally {
    await opened.agent.destroy();
    await new Promise((done) => server.close(done));
  }
});

it('trusts an exact origin alone', async () => {
  const trusting = { trustedOrigins: new Set(['http://127.0.0.1:8899']) };
  expect(await refusal('http://127.0.0.1:8899/x', {}, trusting)).toBe('let through');
  for (const url of ['http://127.0.0.1:8898/', 'https://127.0.0.1:8899/', 'http://localhost:8899/']) {
    expect(await refusal(url, {}, trusting)).not.toBe('let through');
  }
});
