import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { hexToBytes, toRlp } from 'viem';
import { LogBatch } from '../log-batch.js';
import type { RpcBlock, RpcReceipt } from '../rpc-shapes.js';
import { bloomCovers, logsBloom } from './bloom.js';
import { consensusReceipt, receiptsRoot } from './receipts-root.js';
import { encodeRlp, type RlpItem } from './rlp.js';

const blocks: { block: RpcBlock; receipts: RpcReceipt[] }[] = JSON.parse(
  gunzipSync(readFileSync(join(process.cwd(), 'libs/chain/chains/evm/proof/fixtures/anvil-blocks.json.gz'))).toString(),
);

describe('RLP', () => {
  it('equals viem on random nested items of every length class', () => {
    let state = 12345;
    const random = (below: number): number => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return state % below;
    };
    const item = (depth: number): RlpItem => {
      if (depth > 0 && random(3) > 0) return Array.from({ length: random(6) }, () => item(depth - 1));
      const length = [0, 1, 1, 2, 54, 55, 56, 57, 255, 256, 70_000][random(11)]!;
      return Uint8Array.from({ length }, () => random(256));
    };
    for (let round = 0; round < 200; round++) {
      const value = item(4);
      expect(Buffer.from(encodeRlp(value)).equals(hexToBytes(toRlp(toHexTree(value))))).toBe(true);
    }
  });
});

type HexTree = `0x${string}` | HexTree[];
const toHexTree = (item: RlpItem): HexTree =>
  item instanceof Uint8Array ? `0x${Buffer.from(item).toString('hex')}` : item.map(toHexTree);

describe('receipts root', () => {
  it('equals the header of blocks with none to many receipts', () => {
    for (const { block, receipts } of blocks) expect(receiptsRoot(receipts)).toBe(block.receiptsRoot);
    expect(blocks.map(({ receipts }) => receipts.length)).toEqual(expect.arrayContaining([0, 2, 20]));
  });

  it('differs when anything committed to is altered, dropped or reordered', () => {
    const { block, receipts } = blocks.find((candidate) => candidate.receipts.length === 2)!;
    const alter = (change: (copy: RpcReceipt[]) => void): ReturnType<typeof receiptsRoot> => {
      const copy: RpcReceipt[] = structuredClone(receipts);
      change(copy);
      return receiptsRoot(copy);
    };
    const last = (copy: RpcReceipt[]) => copy[1]!.logs.at(-1)!;
    for (const change of [
      (copy: RpcReceipt[]) => copy[1]!.logs.pop(),
      (copy: RpcReceipt[]) => copy.reverse(),
      (copy: RpcReceipt[]) => copy.pop(),
      (copy: RpcReceipt[]) => Object.assign(last(copy), { address: `0x${'1'.repeat(40)}` }),
      (copy: RpcReceipt[]) =>
        Object.assign(last(copy), { data: last(copy).data.replace(/.$/, '0').replace(/^0x./, '0x9') }),
      (copy: RpcReceipt[]) => last(copy).topics.pop(),
      (copy: RpcReceipt[]) => Object.assign(copy[0]!, { status: '0x0' }),
    ]) {
      const root = alter(change);
      expect(root).toMatch(/^0x[0-9a-f]{64}$/);
      expect(root).not.toBe(block.receiptsRoot);
    }
    expect(alter((copy) => Object.assign(copy[0]!, { type: '0x7d' }))).toEqual({ unknownType: '0x7d' });
  });
});

describe('receipts of rollups', () => {
  const NO_LOGS = `0x${'0'.repeat(512)}`;
  const deposit: RpcReceipt = {
    ...{ transactionHash: '0x', transactionIndex: '0x0', blockHash: '0x', blockNumber: '0x1', from: '0x' },
    ...{ type: '0x7e', status: '0x1', cumulativeGasUsed: '0xb741', logsBloom: NO_LOGS, logs: [] },
  };
  const hex = (receipt: RpcReceipt): string => Buffer.from(consensusReceipt(receipt)!).toString('hex');
  const zeros = '00'.repeat(256);

  it('a deposit commits to nonce and version since Canyon, to neither before', () => {
    // The encodings that op-alloy's specs state for these fields.
    const since = { ...deposit, depositNonce: '0x3d3bbf', depositReceiptVersion: '0x1' };
    expect(hex(since)).toBe(`7ef9010d0182b741b90100${zeros}c0833d3bbf01`);
    const before = `7ef901080182b741b90100${zeros}c0`;
    expect(hex(deposit)).toBe(before);
    expect(hex({ ...deposit, depositNonce: '0x3d3bbf' })).toBe(before);
  });

  it("Arbitrum's types are encoded as Ethereum's", () => {
    for (const type of ['0x64', '0x65', '0x66', '0x68', '0x69', '0x6a']) {
      expect(hex({ ...deposit, type })).toBe(`${type.slice(2)}f901080182b741b90100${zeros}c0`);
    }
    expect(consensusReceipt({ ...deposit, type: '0x67' })).toBeNull();
  });
});

describe('logs bloom', () => {
  it('equals every receipt of anvil and 144 receipts of public chains', () => {
    const real: { receipt: { logsBloom?: string; logs: { address: string; topics: string[] }[] } }[] = JSON.parse(
      gunzipSync(readFileSync(join(process.cwd(), 'apps/cli/src/decode/fixtures/receipts.json.gz'))).toString(),
    );
    let compared = 0;
    for (const { receipt } of real) {
      if (receipt.logsBloom === undefined) continue;
      expect(logsBloom(receipt.logs)).toBe(receipt.logsBloom);
      compared++;
    }
    expect(compared).toBeGreaterThan(100);
    for (const { block, receipts } of blocks) {
      for (const receipt of receipts) expect(logsBloom(receipt.logs)).toBe(receipt.logsBloom);
      expect(logsBloom(receipts.flatMap((receipt) => receipt.logs))).toBe(block.logsBloom);
    }
  });

  it('covers subsets and nothing foreign', () => {
    const { block, receipts } = blocks.at(-1)!;
    const logs = receipts.flatMap((receipt) => receipt.logs);
    expect(bloomCovers(block.logsBloom, logs.slice(0, 3))).toBe(true);
    expect(bloomCovers(block.logsBloom, [])).toBe(true);
    expect(bloomCovers(block.logsBloom, [{ address: `0x${'12'.repeat(20)}`, topics: [] }])).toBe(false);
    expect(bloomCovers(block.logsBloom, [{ address: logs[0]!.address, topics: [`0x${'34'.repeat(32)}`] }])).toBe(false);
    expect(bloomCovers('0x', logs)).toBe(false);
  });

  it('is the same of part of a batch as of the logs in it', () => {
    const all = blocks.flatMap(({ receipts }) => receipts.flatMap((receipt) => receipt.logs));
    const batch = LogBatch.of(all)!;
    for (let from = 0; from <= all.length; from += 3) {
      for (const to of [from, from + 1, from + 7, all.length].filter((end) => end <= all.length)) {
        const slice = batch.slice(from, to);
        expect(logsBloom(slice)).toBe(logsBloom(all.slice(from, to)));
        expect(bloomCovers(logsBloom(slice), slice)).toBe(true);
      }
    }
  });
});
