import { WebSocket } from 'ws';
import { logsBloom, receiptsRoot } from '#libs/devkit/chain-builder/block-hash.js';
import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import type { RpcHeader, RpcLog, RpcReceipt } from '#libs/devkit/chain-builder/rpc-shapes.js';
import { BuilderChain } from '#libs/devkit/chain-builder/served-chain.js';
import { RecordedChain } from '#libs/devkit/chain-replay/recorded-chain.js';
import { type FaultRpc, type FaultSettings, NO_FAULTS, startFaultRpc } from './fault-rpc.js';

let open: FaultRpc[] = [];
let sockets: WebSocket[] = [];
afterEach(async () => {
  for (const socket of sockets) socket.terminate();
  sockets = [];
  await Promise.all(open.map((rpc) => rpc.close()));
  open = [];
});

async function start(...args: Parameters<typeof startFaultRpc>): Promise<FaultRpc> {
  const rpc = await startFaultRpc(...args);
  open.push(rpc);
  return rpc;
}

function chainOf(blocks: number, seed = 3): ChainBuilder {
  const chain = new ChainBuilder({ seed });
  chain.mine(blocks);
  return chain;
}

interface Answer<T> {
  id: number;
  result: T;
  error?: { code: number; message: string; data?: unknown };
}

function post(rpc: FaultRpc, body: unknown, timeoutMs = 30_000): Promise<Response> {
  return fetch(rpc.url, { method: 'POST', body: JSON.stringify(body), signal: AbortSignal.timeout(timeoutMs) });
}

async function ask<T>(rpc: FaultRpc, method: string, params: unknown[] = []): Promise<Answer<T>> {
  return (await (await post(rpc, { jsonrpc: '2.0', id: 1, method, params })).json()) as Answer<T>;
}

async function call<T>(rpc: FaultRpc, method: string, params: unknown[] = []): Promise<T> {
  const answer = await ask<T>(rpc, method, params);
  if (answer.error) throw new Error(`${answer.error.code} ${answer.error.message}`);
  return answer.result;
}

const hex = (value: number) => `0x${value.toString(16)}`;

describe('an honest node', () => {
  test('serves blocks, logs, receipts, transactions and tags of a builder', async () => {
    const chain = chainOf(100);
    const rpc = await start({ chain });
    expect(await call(rpc, 'eth_chainId')).toBe('0x1');
    expect(await call(rpc, 'net_version')).toBe('1');
    expect(await call(rpc, 'eth_blockNumber')).toBe(hex(chain.head.number));
    const all = chain.canonicalBlocks().flatMap((block) => block.logs);
    expect(await call(rpc, 'eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }])).toEqual(all);
    const block = chain.canonicalBlocks().find(({ logs }) => logs.length > 10);
    if (!block) throw new Error('no busy block');
    expect(await call(rpc, 'eth_getLogs', [{ blockHash: block.hash }])).toEqual(block.logs);
    expect(await call(rpc, 'eth_getBlockReceipts', [hex(block.number)])).toEqual(block.receipts);
    expect(await call(rpc, 'eth_getBlockReceipts', [block.hash])).toEqual(block.receipts);
    const transaction = block.transactions[0];
    expect(await call(rpc, 'eth_getTransactionByHash', [transaction?.hash])).toEqual(transaction);
    expect(await call(rpc, 'eth_getTransactionReceipt', [transaction?.hash])).toEqual(block.receipts[0]);
    expect(await call(rpc, 'eth_getBlockByHash', [block.hash, true])).toMatchObject({
      ...block.header,
      transactions: block.transactions,
    });
    const heightOf = async (tag: string) => Number((await call<RpcHeader>(rpc, 'eth_getBlockByNumber', [tag])).number);
    const head = chain.head.number;
    expect([await heightOf('safe'), await heightOf('finalized')]).toEqual([head - 32, head - 64]);
    expect(await heightOf('earliest')).toBe(0);
    expect(await call(rpc, 'eth_getBlockByNumber', [hex(head + 1), false])).toBeNull();
  });

  test('filters logs by address and topics like a node', async () => {
    const chain = chainOf(60);
    const rpc = await start({ chain });
    const all = chain.canonicalBlocks().flatMap((block) => block.logs);
    const sample = all.find(({ topics }) => topics.length === 3) as RpcLog;
    const [kind, second, third] = sample.topics as [string, string, string];
    const cases: [object, (log: RpcLog) => boolean][] = [
      [{ topics: [kind] }, ({ topics }) => topics[0] === kind],
      [{ topics: [[kind, second]] }, ({ topics }) => topics[0] === kind],
      [{ topics: [null, second] }, ({ topics }) => topics[1] === second],
      [{ topics: [kind, null, third] }, ({ topics }) => topics[0] === kind && topics[2] === third],
      [{ topics: [null, null, null, null] }, ({ topics }) => topics.length >= 4],
      [{ address: sample.address.toUpperCase().replace('0X', '0x') }, ({ address }) => address === sample.address],
      [
        { address: [sample.address], topics: [kind] },
        (log) => log.address === sample.address && log.topics[0] === kind,
      ],
    ];
    for (const [filter, expected] of cases) {
      const logs = await call<RpcLog[]>(rpc, 'eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest', ...filter }]);
      expect(logs).toEqual(all.filter(expected));
    }
  });

  test('answers calls, reverts and unknown things with a node’s errors', async () => {
    const chain = chainOf(20);
    const rpc = await start({ chain, faults: { stateDepth: 5, missingMethods: ['eth_getBlockReceipts'] } });
    const { weth } = chain.addresses;
    expect(Number(await call(rpc, 'eth_call', [{ to: weth, data: '0x313ce567' }, 'latest']))).toBe(18);
    const revert = await ask(rpc, 'eth_call', [{ to: weth, data: '0xdeadbeef' }, 'latest']);
    expect(revert.error).toMatchObject({ code: 3, message: 'execution reverted', data: '0x' });
    const old = await ask(rpc, 'eth_call', [{ to: weth, data: '0x313ce567' }, '0x3']);
    expect(old.error?.message).toMatch(/^missing trie node/);
    const byHash = [{ to: weth, data: '0x313ce567' }, { blockHash: chain.head.hash }];
    expect(Number(await call(rpc, 'eth_call', byHash))).toBe(18);
    expect((await ask(rpc, 'eth_getBlockReceipts', ['latest'])).error?.code).toBe(-32601);
    expect((await ask(rpc, 'eth_mining')).error?.code).toBe(-32601);
    expect((await ask(rpc, 'eth_getBlockByNumber', ['ten'])).error?.code).toBe(-32602);
    expect((await ask(rpc, 'eth_getLogs', [{ blockHash: `0x${'ab'.repeat(32)}` }])).error?.code).toBe(-32000);
    expect((await fetch(rpc.url, { method: 'POST', body: '{oops' })).status).toBe(400);
  });

  test('answers batches in order, with ids of any shape', async () => {
    const rpc = await start({ chain: chainOf(3) });
    const response = await post(rpc, [
      { jsonrpc: '2.0', id: 'α', method: 'eth_chainId' },
      { jsonrpc: '2.0', id: 7, method: 'eth_blockNumber', params: [] },
    ]);
    expect(await response.json()).toEqual([
      { jsonrpc: '2.0', id: 'α', result: '0x1' },
      { jsonrpc: '2.0', id: 7, result: hex(rpc.head()) },
    ]);
    expect(rpc.stats.methods).toEqual({ eth_chainId: 1, eth_blockNumber: 1 });
  });

  test('serves the recorded chain', async () => {
    const chain = new RecordedChain({ loops: 2 });
    const rpc = await start({ chain });
    const from = chain.headHeight - 5;
    const logs = await call<RpcLog[]>(rpc, 'eth_getLogs', [{ fromBlock: hex(from), toBlock: 'latest' }]);
    for (let height = from; height <= chain.headHeight; height++) {
      const own = logs.filter(({ blockNumber }) => Number(blockNumber) === height);
      const header = await call<RpcHeader>(rpc, 'eth_getBlockByNumber', [hex(height), false]);
      expect(`0x${logsBloom(own)}`).toBe(header.logsBloom);
      const receipts = await call<RpcReceipt[]>(rpc, 'eth_getBlockReceipts', [hex(height)]);
      expect(`0x${receiptsRoot(receipts)}`).toBe(header.receiptsRoot);
      expect(receipts.flatMap((receipt) => receipt.logs)).toEqual(own);
    }
  });
});

test('limits of providers come in their own words', async () => {
  const chain = chainOf(40);
  const rpc = await start({ chain, faults: { maxLogRange: 10 } });
  const wide = [{ fromBlock: '0x0', toBlock: '0xa' }];
  const messages: string[] = [];
  for (const style of ['infura', 'alchemy', 'quicknode', 'plain'] as const) {
    rpc.faults.limitErrors = style;
    messages.push((await ask(rpc, 'eth_getLogs', wide)).error?.message ?? '');
  }
  expect(messages[1]).toMatch(/this block range should work: \[0x0, 0x9\]$/);
  expect(new Set(messages).size).toBe(4);
  expect((await ask(rpc, 'eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x9' }])).error).toBeUndefined();
  Object.assign(rpc.faults, { maxLogRange: null, maxLogResults: 50, limitErrors: 'infura' });
  const { error } = await ask(rpc, 'eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]);
  expect(error).toMatchObject({ code: -32005, data: { from: '0x0', limit: 50 } });
  expect(error?.message).toMatch(/^query returned more than 50 results\. Try with this block range \[0x0, 0x/);
});

describe('transport faults', () => {
  const always = async (faults: Partial<FaultSettings>) => start({ chain: chainOf(10), faults });
  const probe = { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params: ['latest', true] };

  test('rate limit by status and by code', async () => {
    const rpc = await always({ rateLimitRate: 1, retryAfterSeconds: 7 });
    const response = await post(rpc, probe);
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7']);
    Object.assign(rpc.faults, { rateLimitRate: 0, rpcRateLimitRate: 1 });
    expect((await ask(rpc, 'eth_chainId')).error?.code).toBe(-32005);
    expect(rpc.stats.faults).toEqual({ rateLimit: 1, rpcRateLimit: 1 });
  });

  test('cut, truncated, dropped, failed and delayed answers', async () => {
    const rpc = await always({ cutRate: 1 });
    await expect(post(rpc, probe).then((response) => response.text())).rejects.toThrow();
    Object.assign(rpc.faults, { cutRate: 0, truncateRate: 1 });
    const text = await (await post(rpc, probe)).text();
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    Object.assign(rpc.faults, { truncateRate: 0, dropRate: 1 });
    await expect(post(rpc, probe, 100)).rejects.toThrow(/timeout/);
    Object.assign(rpc.faults, { dropRate: 0, errorRate: 1 });
    expect((await ask(rpc, 'eth_chainId')).error?.code).toBe(-32000);
    Object.assign(rpc.faults, { errorRate: 0, delayRate: 1, delayMs: 30 });
    expect(await call(rpc, 'eth_chainId')).toBe('0x1');
    expect(rpc.stats.faults).toMatchObject({ cut: 1, truncate: 1, drop: 1, error: 1, delay: 1 });
  });

  test('only the named methods are hit', async () => {
    const rpc = await always({ errorRate: 1, methods: ['eth_getLogs'] });
    expect(await call(rpc, 'eth_chainId')).toBe('0x1');
    expect((await ask(rpc, 'eth_getLogs', [{}])).error?.code).toBe(-32000);
  });

  test('a seed repeats its faults, and a rate is met', async () => {
    const run = async () => {
      const rpc = await always({ errorRate: 0.5, seed: 99 });
      let outcomes = '';
      for (let i = 0; i < 60; i++) outcomes += (await ask(rpc, 'eth_chainId')).error ? 'x' : '.';
      return outcomes;
    };
    const first = await run();
    expect(await run()).toBe(first);
    expect(first.replaceAll('.', '').length).toBeGreaterThan(15);
    expect(first.replaceAll('x', '').length).toBeGreaterThan(15);
  });
});

describe('stale nodes', () => {
  test('lag, a pinned head, a head that goes down, blocks that are missing', async () => {
    const chain = chainOf(30);
    const rpc = await start({ chain, faults: { lagBlocks: 4 } });
    const head = chain.head.number;
    expect(Number(await call(rpc, 'eth_blockNumber'))).toBe(head - 4);
    expect(await call(rpc, 'eth_getBlockByHash', [chain.head.hash, false])).toBeNull();
    expect(
      await call(rpc, 'eth_getTransactionReceipt', [chain.head.transactions[0]?.hash ?? `0x${'0'.repeat(64)}`]),
    ).toBe(null);
    rpc.faults.lagBlocks = 0;
    rpc.setHead(10);
    expect(Number(await call(rpc, 'eth_blockNumber'))).toBe(10);
    rpc.setHead(null);
    Object.assign(rpc.faults, { headDownRate: 1, headDownBlocks: 6 });
    expect(Number(await call(rpc, 'eth_blockNumber'))).toBe(head - 6);
    Object.assign(rpc.faults, { headDownRate: 0, nullBlockRate: 1 });
    expect(await call(rpc, 'eth_getBlockByNumber', ['0x5', false])).toBeNull();
  });
});

describe('tampered responses', () => {
  const busy = (chain: ChainBuilder) => {
    const block = chain.canonicalBlocks().find(({ logs }) => logs.length > 8);
    if (!block) throw new Error('no busy block');
    return block;
  };

  test.each(['dropLogRate', 'emptyLogsRate', 'alterLogRate', 'duplicateLogRate'] as const)('%s', async (fault) => {
    const chain = chainOf(20);
    const rpc = await start({ chain, faults: { [fault]: 1 } });
    const block = busy(chain);
    const logs = await call<RpcLog[]>(rpc, 'eth_getLogs', [{ blockHash: block.hash }]);
    expect(logs).not.toEqual(block.logs);
    const lengths = { dropLogRate: -1, emptyLogsRate: -block.logs.length, alterLogRate: 0, duplicateLogRate: 1 };
    expect(logs.length - block.logs.length).toBe(lengths[fault]);
    expect(Object.values(rpc.stats.faults)).toEqual([1]);
  });

  test('consistent tampering changes logs and receipts in the same way; only the header shows it', async () => {
    const chain = chainOf(20);
    const rpc = await start({ chain, faults: { dropLogRate: 1, consistentTampering: true } });
    const block = busy(chain);
    const logs = await call<RpcLog[]>(rpc, 'eth_getLogs', [{ blockHash: block.hash }]);
    const receipts = await call<RpcReceipt[]>(rpc, 'eth_getBlockReceipts', [block.hash]);
    expect(logs).toHaveLength(block.logs.length - 1);
    expect(receipts.flatMap((receipt) => receipt.logs)).toEqual(logs);
    expect(`0x${receiptsRoot(receipts)}`).not.toBe(block.header.receiptsRoot);
  });

  test('a wrong bloom', async () => {
    const chain = chainOf(20);
    const rpc = await start({ chain, faults: { wrongBloomRate: 1 } });
    const header = await call<RpcHeader>(rpc, 'eth_getBlockByNumber', ['latest', false]);
    expect(header.hash).toBe(chain.head.hash);
    expect(header.logsBloom).not.toBe(chain.head.header.logsBloom);
  });
});

interface Notification {
  kind: 'head' | 'log' | 'removed';
  number: number;
  hash: string;
}

/** Subscribes to heads and logs and collects what comes. */
async function listen(rpc: FaultRpc): Promise<{ seen: Notification[]; settle: () => Promise<void> }> {
  const socket = new WebSocket(rpc.wsUrl);
  sockets.push(socket);
  const seen: Notification[] = [];
  const waiting = new Map<number, (result: unknown) => void>();
  let nextId = 1;
  socket.on('message', (raw) => {
    const message = JSON.parse(raw.toString());
    if (message.id !== undefined) {
      waiting.get(message.id)?.(message.result);
      return;
    }
    const { result } = message.params;
    if (result.logsBloom) seen.push({ kind: 'head', number: Number(result.number), hash: result.hash });
    else {
      const kind = result.removed ? 'removed' : 'log';
      seen.push({ kind, number: Number(result.blockNumber), hash: result.blockHash });
    }
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const request = (method: string, params: unknown[] = []) =>
    new Promise<unknown>((resolve) => {
      const id = nextId++;
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  expect(await request('eth_subscribe', ['newHeads'])).toMatch(/^0x/);
  expect(await request('eth_subscribe', ['logs', {}])).toMatch(/^0x/);
  // Messages of a socket keep their order: an answer means that all before it has come.
  return { seen, settle: async () => void (await request('eth_chainId')) };
}

describe('subscriptions', () => {
  test('tell new heads with their logs, and on a reorg what was removed', async () => {
    const chain = chainOf(10);
    const rpc = await start({ chain });
    const { seen, settle } = await listen(rpc);
    const made = chain.mine(3);
    await settle();
    const expected = made.flatMap((block) => [
      { kind: 'head', number: block.number, hash: block.hash },
      ...block.logs.map(() => ({ kind: 'log', number: block.number, hash: block.hash })),
    ]);
    expect(seen).toEqual(expected);
    seen.length = 0;
    const newBlocks = chain.reorg(3, 4);
    await settle();
    const removed = seen.filter(({ kind }) => kind === 'removed').map(({ hash }) => hash);
    expect(removed).toEqual([...made].reverse().flatMap((block) => block.logs.map(() => block.hash)));
    const heads = seen.filter(({ kind }) => kind === 'head').map(({ hash }) => hash);
    expect(heads).toEqual(newBlocks.map(({ hash }) => hash));
    seen.length = 0;
    rpc.faults.removedOnReorg = false;
    chain.reorg(2);
    await settle();
    expect(seen.some(({ kind }) => kind === 'removed')).toBe(false);
    expect(seen.some(({ kind }) => kind === 'head')).toBe(true);
  });

  test('a lower head is silent; coming back tells the heads again', async () => {
    const chain = chainOf(10);
    const rpc = await start({ chain });
    const { seen, settle } = await listen(rpc);
    rpc.setHead(chain.head.number - 3);
    await settle();
    expect(seen).toEqual([]);
    rpc.setHead(null);
    await settle();
    expect(seen.filter(({ kind }) => kind === 'head')).toHaveLength(3);
  });

  test('duplicates and swallowed notifications', async () => {
    const chain = chainOf(10);
    const rpc = await start({ chain });
    const { seen, settle } = await listen(rpc);
    rpc.faults.duplicateRate = 1;
    chain.mine(1, { transactions: 0 });
    await settle();
    expect(seen).toHaveLength(2);
    Object.assign(rpc.faults, { duplicateRate: 0, dropNotificationRate: 1 });
    chain.mine(1);
    await settle();
    expect(seen).toHaveLength(2);
  });

  test('cut connections end the socket', async () => {
    const rpc = await start({ chain: chainOf(3) });
    await listen(rpc);
    const closed = new Promise((resolve) => sockets[0]?.once('close', resolve));
    rpc.cutConnections();
    await closed;
  });
});

test('two nodes can serve two branches of one builder', async () => {
  const chain = chainOf(20);
  const oldTip = chain.head.hash;
  const stuck = new BuilderChain(chain);
  stuck.setTip(oldTip);
  chain.reorg(5);
  const [honest, other] = [await start({ chain }), await start({ chain: stuck })];
  const tipOf = async (rpc: FaultRpc) => (await call<RpcHeader>(rpc, 'eth_getBlockByNumber', ['latest', false])).hash;
  expect(await tipOf(honest)).toBe(chain.head.hash);
  expect(await tipOf(other)).toBe(oldTip);
});

test('a port in use is an error, not a hang', async () => {
  const rpc = await start({ chain: chainOf(1) });
  await expect(startFaultRpc({ chain: chainOf(1), port: rpc.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('no fault is on by default', () => {
  const rates = Object.entries(NO_FAULTS).filter(([name]) => name.endsWith('Rate') || name === 'lagBlocks');
  expect(rates.every(([, rate]) => rate === 0)).toBe(true);
});
