import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { bytesToHex, hexToBytes, keccak256, toRlp } from 'viem';
import { encodeRlp, type RlpItem, rlpQuantity } from '#libs/chain/chains/evm/proof/rlp.js';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { REPLAY_CHAIN_FILE } from '#libs/devkit/chain-replay/recorded-chain.js';
import type { Recording } from '#libs/devkit/chain-replay/recorded-survey.js';
import { testScale as SCALE } from '#libs/devkit/testing/seeded-random.js';
import { headerHash, logsBloom, mergeBlooms, receiptsRoot } from './block-hash.js';
import { keccakHex } from './keccak-hex.js';

const recording = JSON.parse(gunzipSync(readFileSync(REPLAY_CHAIN_FILE)).toString('utf8')) as Recording;

test('header hashes equal those of a real node for every recorded block', () => {
  expect(recording.blocks.length).toBe(1425);
  for (const block of recording.blocks) expect(`0x${headerHash(block)}`).toBe(block.hash);
});

test('receipts roots and blooms equal those of a real node', () => {
  const step = Math.max(1, Math.round(1 / SCALE));
  let checked = 0;
  recording.blocks.forEach((block, height) => {
    const receipts = recording.receipts[height] ?? [];
    if (height % step !== 0 && receipts.length < 3) return;
    checked++;
    expect(`0x${receiptsRoot(receipts)}`).toBe(block.receiptsRoot);
    expect(`0x${logsBloom(receipts.flatMap(({ logs }) => logs))}`).toBe(block.logsBloom);
    const merged = mergeBlooms(receipts.map(({ logs }) => logsBloom(logs)));
    expect(`0x${merged}`).toBe(block.logsBloom);
  });
  expect(checked).toBeGreaterThan(20);
});

test('a changed log changes bloom or root', () => {
  const height = recording.receipts.findIndex((receipts) => receipts.some(({ logs }) => logs.length > 10));
  const receipts = structuredClone(recording.receipts[height]) as Recording['receipts'][number];
  const log = receipts.find(({ logs }) => logs.length > 10)?.logs[3];
  if (!log) throw new Error('no log');
  log.data = `${log.data.slice(0, -1)}${log.data.endsWith('0') ? '1' : '0'}`;
  expect(`0x${receiptsRoot(receipts)}`).not.toBe(recording.blocks[height]?.receiptsRoot);
});

test('RLP and keccak equal viem on random nested input', () => {
  const seed = 20260101;
  const random = new SeededRandom(seed);
  type Nested = string | Nested[];
  const make = (depth: number): Nested => {
    if (depth === 0 || random.chance(0.4)) return random.hex(random.pick([0, 1, 1, 2, 20, 32, 55, 56, 57, 300]));
    return Array.from({ length: random.int(6) }, () => make(depth - 1));
  };
  const ours = (value: Nested): RlpItem => (typeof value === 'string' ? Buffer.from(value, 'hex') : value.map(ours));
  type Bytes = Uint8Array | Bytes[];
  const theirs = (value: Nested): Bytes =>
    typeof value === 'string' ? hexToBytes(`0x${value}`) : value.map((item) => theirs(item));
  for (let i = 0; i < 2000 * SCALE; i++) {
    const value = make(4);
    const encoded = Buffer.from(encodeRlp(ours(value))).toString('hex');
    // biome-ignore lint/suspicious/noExplicitAny: viem's recursive type does not name its argument
    const expected = bytesToHex(toRlp(theirs(value) as any, 'bytes'));
    expect(`seed ${seed}, ${i}: 0x${encoded}`).toBe(`seed ${seed}, ${i}: ${expected}`);
    expect(`0x${keccakHex(encoded)}`).toBe(keccak256(expected));
  }
  const quantity = (prefixed: string): string => Buffer.from(encodeRlp(rlpQuantity(prefixed))).toString('hex');
  expect(quantity('0x0')).toBe('80');
  expect(quantity('0x7f')).toBe('7f');
  expect(quantity('0x400')).toBe('820400');
});
