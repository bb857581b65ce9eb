import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { WebSocket } from 'ws';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { until } from '#libs/devkit/testing/until.js';
import { isRunning } from '../../evm/test/is-running.js';
import { rpcCall } from '../test/rpc-call.js';
import { startLocalSolanaMarket } from './local-solana-market.js';
import type { MarketProgress } from './market-runner.js';

/** The market in a process of its own, from the build. */
const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const FOLDER = join(ROOT, 'dist/libs/devkit/devnet/solana/market');
const main = join(FOLDER, 'local-solana-market-main.js');
const folders: string[] = [];

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tidepool-sol-'));
  folders.push(folder);
  return folder;
}

beforeAll(() => promisify(execFile)(process.execPath, [join(ROOT, 'scripts/build.mjs')]));
afterAll(async () => {
  for (const folder of folders) await removeFolder(folder);
});

const CONFIRMED = { commitment: 'confirmed' };
const FINALIZED = { commitment: 'finalized' };
const BLOCK = { ...FINALIZED, transactionDetails: 'signatures', maxSupportedTransactionVersion: 0 };

async function slotsOf(url: string, from: number, config: object): Promise<number[]> {
  const { result: tip } = await rpcCall(url, 'getSlot', config);
  const { result } = await rpcCall(url, 'getBlocks', from, Math.max(from, tip), config);
  return result;
}

test('traders fill the slots, forks and skipped slots happen, and a restart takes the chain up', async () => {
  const dataDir = await newFolder();
  const progress: MarketProgress[] = [];
  const options = { main, dataDir, seed: 4, reorgs: true, slotMs: 25 };
  const market = await startLocalSolanaMarket({
    ...options,
    historyBlocks: 30,
    onProgress: (each) => progress.push(each),
  });
  expect([market.resumed, isRunning(market.pid)]).toEqual([false, true]);
  expect([...new Set(progress.map(({ phase }) => phase))]).toEqual(['setup', 'history', 'ready']);
  expect(market.tokens.map(({ symbol }) => symbol)).toContain('SOL');
  expect(market.pools.length).toBeGreaterThanOrEqual(15);
  const url = market.rpcUrl;
  const [start] = (await slotsOf(url, 0, CONFIRMED)).slice(-1) as [number];
  const forked = await forks(market.wsUrl);
  await until('a fork and a slot without a block', async () => {
    const final = await slotsOf(url, start, FINALIZED);
    return forked.count > 0 && final.some((slot, i) => i > 0 && slot > final[i - 1]! + 1);
  });
  forked.close();
  await market.pause();
  const before = await slotsOf(url, 0, FINALIZED);
  const { result: block } = await rpcCall(url, 'getBlock', before.at(-1), BLOCK);
  expect(block.signatures).toBeDefined();
  const contents = await market.contents();
  await market.stop();
  expect(isRunning(market.pid)).toBe(false);

  await expect(startLocalSolanaMarket({ ...options, seed: 5 })).rejects.toThrow(
    'holds a local Solana market with seed 4',
  );
  const again = await startLocalSolanaMarket({ main, dataDir, autoSlots: false });
  try {
    expect([again.resumed, again.genesisHash]).toEqual([true, market.genesisHash]);
    expect(again.curves.map(({ address }) => address)).toEqual(contents.curves.map(({ address }) => address));
    expect(await slotsOf(again.rpcUrl, 0, FINALIZED)).toEqual(before);
    const { result: same } = await rpcCall(again.rpcUrl, 'getBlock', before.at(-1), BLOCK);
    expect(same).toEqual(block);
    let traded = 0;
    for (let i = 0; i < 5; i++) traded += (await again.slot()).signatures.length;
    expect(traded).toBeGreaterThan(3);
    const mint = again.tokens[1]!.address;
    const wallet = '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi';
    await again.fund(wallet, { lamports: 2_000_000n, tokens: [{ mint, amount: 77n }] });
    const { result } = await rpcCall(again.rpcUrl, 'getBalance', wallet, { commitment: 'processed' });
    expect(result.value).toBe(2_000_000);
    await expect(again.fund('nobody', {})).rejects.toThrow('wallet: not the base58 text of 32 bytes');
  } finally {
    await again.stop();
  }
});

test('the market ends with the program that started it, kill -9 included, and what was final then is there again', async () => {
  const dataDir = await newFolder();
  const code = `const { startLocalSolanaMarket } = await import(${JSON.stringify(join(FOLDER, 'local-solana-market.js'))});
    const { pid, rpcUrl, genesisHash } = await startLocalSolanaMarket({
      dataDir: ${JSON.stringify(dataDir)}, historyBlocks: 20, slotMs: 25, reorgs: true });
    console.log(JSON.stringify({ pid, rpcUrl, genesisHash }));`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { pid, rpcUrl, genesisHash } = await firstLine(parent.stdout);
  expect(isRunning(pid)).toBe(true);
  const known = (await slotsOf(rpcUrl, 0, FINALIZED)).length;
  let final: number[] = [];
  await until('final slots', async () => {
    final = await slotsOf(rpcUrl, 0, FINALIZED);
    return final.length > known + 5;
  });
  parent.kill('SIGKILL');
  await until('the end of the chain', () => !isRunning(pid));

  const again = await startLocalSolanaMarket({ main, dataDir, autoSlots: false });
  try {
    expect([again.resumed, again.genesisHash]).toEqual([true, genesisHash]);
    expect((await slotsOf(again.rpcUrl, 0, FINALIZED)).slice(0, final.length)).toEqual(final);
  } finally {
    await again.stop();
  }
});

test('a market whose making was cut short is made again', async () => {
  const dataDir = await newFolder();
  const half = spawn(process.execPath, [main, '--data', dataDir, '--history', '5000'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: half.stdout })) {
    if (JSON.parse(line).progress?.phase === 'history') break;
  }
  half.kill('SIGKILL');
  await until('the end of the chain', () => !isRunning(half.pid as number));
  const market = await startLocalSolanaMarket({ main, dataDir, historyBlocks: 3, autoSlots: false });
  expect([market.resumed, market.pools.length]).toEqual([false, 15]);
  await market.stop();
});

/** Counts blocks that replace others: their parent is older than the block before them. No notice is lost, however late. */
async function forks(url: string): Promise<{ count: number; close(): void }> {
  const socket = new WebSocket(url);
  const seen = { count: 0, close: () => socket.terminate() };
  let last = 0;
  socket.on('message', (data) => {
    const { params } = JSON.parse(String(data)) as { params?: { result: { slot: number; parent: number } } };
    if (params === undefined) return;
    if (params.result.parent < last) seen.count++;
    last = params.result.slot;
  });
  await once(socket, 'open');
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'slotSubscribe', params: [] }));
  return seen;
}

async function firstLine(output: Readable): Promise<{ pid: number; rpcUrl: string; genesisHash: string }> {
  for await (const line of createInterface({ input: output })) return JSON.parse(line);
  throw new Error('the program ended before it was ready');
}
