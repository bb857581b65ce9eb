import { ChainBuilder } from './chain-builder.js';
import { type FaultRpc, startFaultRpc } from './fault-rpc.js';
import type { RpcLog } from './rpc-shapes.js';

let open: FaultRpc[] = [];
afterEach(async () => {
  await Promise.all(open.map((rpc) => rpc.close()));
  open = [];
});

async function start(...args: Parameters<typeof startFaultRpc>): Promise<FaultRpc> {
  const rpc = await startFaultRpc(...args);
  open.push(rpc);
  return rpc;
}

function post(rpc: FaultRpc, body: unknown): Promise<Response> {
  return fetch(rpc.url, { method: 'POST', body: JSON.stringify(body), signal: AbortSignal.timeout(10_000) });
}

async function call<T>(rpc: FaultRpc, method: string, params: unknown[] = []): Promise<T> {
  const answer = (await (await post(rpc, { jsonrpc: '2.0', id: 1, method, params })).json()) as {
    result: T;
    error?: { code: number; message: string };
  };
  if (answer.error) throw new Error(`${answer.error.code} ${answer.error.message}`);
  return answer.result;
}

test('serves a builder: blocks, logs by range and by hash, receipts, transactions, calls', async () => {
  const chain = new ChainBuilder({ seed: 3 });
  chain.mine(30);
  const rpc = await start({ chain });
  expect(await call(rpc, 'eth_chainId')).toBe('0x1');
  expect(await call(rpc, 'eth_blockNumber')).toBe(`0x${chain.head.number.toString(16)}`);
  const logs = await call<RpcLog[]>(rpc, 'eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }]);
  const expected = chain.canonicalBlocks().flatMap((block) => block.logs);
  expect(logs).toEqual(expected);
});
