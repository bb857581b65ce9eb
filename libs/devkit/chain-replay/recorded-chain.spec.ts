import { headerHash, logsBloom, receiptsRoot } from '#libs/devkit/chain-builder/block-hash.js';
import type { RpcHeader, RpcLog, RpcReceipt, RpcTransaction } from '#libs/devkit/chain-builder/rpc-shapes.js';
import { RecordedChain } from './recorded-chain.js';

const SELECTORS = { getReserves: '0x0902f1ac', slot0: '0x3850c7bd', symbol: '0x95d89b41', decimals: '0x313ce567' };
const RECORDED_HEAD = 1424;
const RECORDED_LOGS = 101_956;

const once = new RecordedChain();
const looped = new RecordedChain({ loops: 3 });

interface Block extends RpcHeader {
  transactions: RpcTransaction[];
}

function read(chain: RecordedChain, height: number): { block: Block; receipts: RpcReceipt[]; logs: RpcLog[] } {
  const served = chain.blockAt(height);
  if (!served) throw new Error(`no block ${height}`);
  const block = JSON.parse(served.blockJson(true)) as Block;
  const receipts = block.transactions.map((_, i) => JSON.parse(served.receiptJson(i)) as RpcReceipt);
  const logs = served.logKeys.map((_, i) => JSON.parse(served.logJson(i)) as RpcLog);
  return { block, receipts, logs };
}

test('one pass is the recording', () => {
  expect(once.headHeight).toBe(RECORDED_HEAD);
  expect(once.logCount).toBe(RECORDED_LOGS);
  let logs = 0;
  for (let height = 0; height <= once.headHeight; height++) logs += once.blockAt(height)?.logKeys.length ?? 0;
  expect(logs).toBe(RECORDED_LOGS);
  expect(once.blockAt(RECORDED_HEAD + 1)).toBeNull();
});

test('names its venues, tokens and pools', () => {
  expect(once.venues.map(({ venue }) => venue).sort()).toEqual([
    'pancakeswap-v2',
    'pancakeswap-v3',
    'uniswap-v2',
    'uniswap-v3',
  ]);
  expect(new Set(once.venues.map(({ factory }) => factory)).size).toBe(4);
  expect(once.tokens.map(({ symbol, decimals }) => `${symbol} ${decimals}`)).toEqual([
    'TWETH 18',
    'USDC 6',
    'USDT 6',
    'WBTC 8',
    'DAI 18',
    'CAKE 18',
    'UNI 18',
  ]);
  expect(once.pools.size).toBe(48);
});

test('every loop keeps links, hashes, roots and blooms true, and its transactions are its own', () => {
  const length = (looped.headHeight - RECORDED_HEAD) / 2;
  const first = RECORDED_HEAD + 1;
  const heights = [0, 1, 14, 15, 700, RECORDED_HEAD, first, first + 1, first + 700, first + length - 1, first + length];
  heights.push(first + length + 1, looped.headHeight);
  for (const height of heights) {
    const { block, receipts, logs } = read(looped, height);
    expect(Number(block.number)).toBe(height);
    expect(`0x${headerHash(block)}`).toBe(block.hash);
    expect(block.parentHash).toBe(height === 0 ? `0x${'0'.repeat(64)}` : read(looped, height - 1).block.hash);
    expect(`0x${receiptsRoot(receipts)}`).toBe(block.receiptsRoot);
    expect(`0x${logsBloom(logs)}`).toBe(block.logsBloom);
    expect(receipts.flatMap((receipt) => receipt.logs)).toEqual(logs);
    block.transactions.forEach(({ hash, blockHash }, index) => {
      expect(blockHash).toBe(block.hash);
      expect(receipts[index]?.transactionHash).toBe(hash);
      const found = looped.findTransaction(hash);
      expect([found?.block.number, found?.index]).toEqual([height, index]);
    });
    for (const log of logs) expect(log.blockHash).toBe(block.hash);
  }
  const hashes = new Set<string>();
  let transactions = 0;
  for (let height = 0; height <= looped.headHeight; height++) {
    const template = looped.templateAt(height);
    template.transactions.forEach((_, index) => {
      hashes.add(looped.transactionHash(height, index));
    });
    transactions += template.transactions.length;
  }
  expect(hashes.size).toBe(transactions);
  expect(looped.findTransaction(`0x${'12'.repeat(32)}`)).toBeNull();
});

test('times never fall, and the log count is exact', () => {
  let logs = 0;
  let last = 0;
  for (let height = 0; height <= looped.headHeight; height++) {
    logs += looped.blockAt(height)?.logKeys.length ?? 0;
    if (looped.timestampAt(height) < last) throw new Error(`time falls at ${height}`);
    last = looped.timestampAt(height);
  }
  expect(logs).toBe(looped.logCount);
});

test('calls are answered from the logs: metadata, and reserves equal to the last Sync', () => {
  const served = once.blockAt(RECORDED_HEAD);
  if (!served) throw new Error('no head');
  for (const token of once.tokens) {
    expect(Number(served.call(token.address, SELECTORS.decimals))).toBe(token.decimals);
    const symbol = served.call(token.address, SELECTORS.symbol);
    expect(Buffer.from(symbol.slice(130), 'hex').toString('utf8').replace(/\0+$/, '')).toBe(token.symbol);
  }
  const lastSync = new Map<string, string>();
  const lastPrice = new Map<string, string>();
  for (let height = 0; height <= RECORDED_HEAD; height++) {
    const { keys, logData } = once.templateAt(height);
    keys.forEach(({ address, topics }, i) => {
      const data = logData[i] as string;
      if (topics[0]?.startsWith('0x1c411e9a')) lastSync.set(address, data);
      if (topics[0]?.startsWith('0xc42079f9') || topics[0]?.startsWith('0x19b47279')) {
        lastPrice.set(address, data.slice(2 + 128, 2 + 192));
      }
    });
  }
  expect(lastSync.size).toBe(24);
  expect(lastPrice.size).toBe(24);
  for (const [pair, data] of lastSync) expect(served.call(pair, SELECTORS.getReserves).slice(0, 130)).toBe(data);
  for (const [pool, price] of lastPrice) expect(served.call(pool, SELECTORS.slot0).slice(2, 66)).toBe(price);
});

test('no pool ever pays out more than it holds, over any number of loops', () => {
  const balances = new Map<string, bigint>();
  const { pools } = looped;
  for (let height = 0; height <= looped.headHeight; height++) {
    const { keys, logData } = looped.templateAt(height);
    keys.forEach(({ address, topics }, i) => {
      if (!topics[0]?.startsWith('0xddf252ad')) return;
      const amount = BigInt(logData[i] as string);
      for (const [topic, sign] of [
        [topics[1], -1n],
        [topics[2], 1n],
      ] as const) {
        const holder = `0x${topic?.slice(26)}`;
        if (!pools.has(holder) || pools.has(address)) continue;
        const after = (balances.get(`${address} ${holder}`) ?? 0n) + sign * amount;
        if (after < 0n) throw new Error(`${holder} owes ${after} of ${address} at ${height}`);
        balances.set(`${address} ${holder}`, after);
      }
    });
  }
  expect(balances.size).toBe(96);
});
