import type { RpcLog, RpcReceipt } from '#libs/chain/chains/evm/rpc-shapes.js';
import { ByteChunks } from '#libs/core/byte-chunks.js';
import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { startFaultRpc } from '#libs/devkit/chain-faults/fault-rpc.js';
import { type SeededRandom, scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import { ofBlock, rootsOf, verdictByRoots } from './block-proof.js';

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** One digit of the hex behind the prefix is another one. */
function otherDigit(random: SeededRandom, hex: string): string {
  const at = 2 + random.below(hex.length - 2);
  const digit = (Number.parseInt(hex[at]!, 16) ^ (1 + random.below(15))).toString(16);
  return hex.slice(0, at) + digit + hex.slice(at + 1);
}

/** Changes that the root of the receipts commits to. */
function changedReceipts(random: SeededRandom, receipts: readonly RpcReceipt[]): RpcReceipt[] {
  const changed = structuredClone(receipts) as RpcReceipt[];
  const at = random.below(changed.length);
  const receipt = changed[at]!;
  const log = receipt.logs.length === 0 ? undefined : random.pick(receipt.logs);
  const ways: (() => unknown)[] = [
    () => changed.splice(at, 1),
    () => changed.push(structuredClone(receipt)),
    () => Object.assign(receipt, { logsBloom: otherDigit(random, receipt.logsBloom) }),
    () => Object.assign(receipt, { cumulativeGasUsed: `${receipt.cumulativeGasUsed}0` }),
    () => Object.assign(receipt, { status: receipt.status === '0x1' ? '0x0' : '0x1' }),
  ];
  if (log !== undefined) {
    ways.push(
      () => receipt.logs.pop(),
      () => receipt.logs.push(log),
    );
    ways.push(() => Object.assign(log, { address: otherDigit(random, log.address) }));
    ways.push(() => Object.assign(log, { data: log.data === '0x' ? '0x00' : otherDigit(random, log.data) }));
  }
  random.pick(ways)();
  return changed;
}

it('a node’s own receipts and logs are proved; changed ones are not', async () => {
  await withSeed('block proof', async (random) => {
    const chain = new ChainBuilder({ seed: random.below(2 ** 30) });
    chain.mine(40);
    const node = await startFaultRpc({ chain });
    const ask = async (method: string, params: unknown[]): Promise<unknown> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const headers = { 'content-type': 'application/json' };
      return ((await (await fetch(node.url, { method: 'POST', headers, body })).json()) as { result: unknown }).result;
    };
    const seen = { receipts: 0, logs: 0, some: 0 };
    try {
      const blocks = chain.canonicalBlocks();
      for (let n = 0; n < scaled(200, 60) || Math.min(...Object.values(seen)) === 0; n++) {
        expect(n).toBeLessThan(5_000);
        const { hash } = random.pick(blocks);
        const roots = rootsOf(bytes(await ask('eth_getBlockByHash', [hash, false])), hash)!;
        expect(
          rootsOf(bytes(await ask('eth_getBlockByHash', [blocks[1]!.hash, false])), `0x${'ab'.repeat(32)}`),
        ).toBeNull();
        const verdict = (method: string, params: unknown[], result: unknown) => {
          const block = ofBlock(method, JSON.stringify(params))!;
          expect(block.hash).toBe(hash);
          return verdictByRoots(block, new ByteChunks([bytes(result)]), roots).kind;
        };
        const receipts = (await ask('eth_getBlockReceipts', [hash])) as RpcReceipt[];
        const named = random.pick([[hash], [{ blockHash: hash }], [hash.toUpperCase().replace('0X', '0x')]]);
        expect(verdict('eth_getBlockReceipts', named, receipts)).toBe('proved');
        if (receipts.length > 0) {
          expect(verdict('eth_getBlockReceipts', named, changedReceipts(random, receipts))).toBe('doubt');
          expect(verdict('eth_getBlockReceipts', named, [])).toBe('doubt');
          expect(verdict('eth_getBlockReceipts', named, [{}])).toBe('doubt');
          seen.receipts++;
        }
        const all = random.pick([[{ blockHash: hash }], [{ blockHash: hash, topics: [], address: null }]]);
        const logs = (await ask('eth_getLogs', [{ blockHash: hash }])) as RpcLog[];
        expect(verdict('eth_getLogs', all, logs)).toBe('proved');
        const never = { ...logs[0], address: random.hex(20).padStart(42, '0x'), topics: [`0x${random.hex(32)}`] };
        expect(verdict('eth_getLogs', all, [...logs, never])).toBe('doubt');
        if (logs.length === 0) continue;
        expect(verdict('eth_getLogs', all, [])).toBe('doubt');
        expect(verdict('eth_getLogs', all, [{ topics: [7] }])).toBe('doubt');
        seen.logs++;
        const { address } = random.pick(logs);
        const own = logs.filter((log) => log.address === address);
        const some = [{ blockHash: hash, ...random.pick([{ address }, { address: [address] }]) }];
        expect(verdict('eth_getLogs', some, own)).toBe('open');
        expect(verdict('eth_getLogs', some, [...own, never])).toBe('doubt');
        seen.some++;
      }
    } finally {
      await node.close();
    }
  });
});

it('what no header speaks of is not judged', () => {
  const hash = `0x${'ab'.repeat(32)}`;
  for (const [method, params] of [
    ['eth_getBlockReceipts', ['latest']],
    ['eth_getBlockReceipts', {}],
    ['eth_getBlockReceipts', []],
    ['eth_getLogs', [{ fromBlock: '0x1' }]],
    ['eth_getLogs', [null]],
    ['eth_getTransactionReceipt', [hash]],
    ['eth_getBlockByHash', [hash, false]],
  ] as const) {
    expect([method, ofBlock(method, JSON.stringify(params))]).toEqual([method, null]);
  }
  const roots = { receiptsRoot: hash, logsBloom: `0x${'00'.repeat(256)}` };
  for (const what of ['receipts', 'logs', 'some'] as const) {
    expect(verdictByRoots({ hash, what }, new ByteChunks([Buffer.from('null')]), roots).kind).toBe('open');
  }
  // A type of a later fork: its encoding is not known.
  const receipt = { type: '0x77', cumulativeGasUsed: '0x1', logsBloom: roots.logsBloom, logs: [] };
  expect(verdictByRoots({ hash, what: 'receipts' }, new ByteChunks([bytes([receipt])]), roots).kind).toBe('open');
});
