import { execFile, spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
} from '@solana/web3.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { until } from '#libs/devkit/testing/until.js';
import { isRunning } from '../evm/test/is-running.js';
import { startLocalSolana } from './local-solana.js';
import { spawnLocalSolana } from './spawn-solana.js';
import { closeClient } from './test/close-client.js';
import { rpcCall } from './test/rpc-call.js';

/** The chain in a process of its own, from the build. */
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const main = join(ROOT, 'dist/libs/devkit/devnet/solana/local-solana-main.js');
let dataDir = '';

beforeAll(async () => {
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/build.mjs')]);
  dataDir = await mkdtemp(join(tmpdir(), 'tidepool-solana-'));
});

afterAll(() => removeFolder(dataDir));

test('slots made by themselves: an ordinary client sends and confirms over its socket; a restart resumes', async () => {
  const chain = await spawnLocalSolana({ main, dataDir, slotMs: 250, autoSlots: true, skipRate: 0.1 });
  const connection = new Connection(chain.rpcUrl, 'confirmed');
  const [payer, to] = [Keypair.generate(), Keypair.generate().publicKey];
  const airdrop = await connection.requestAirdrop(payer.publicKey, LAMPORTS_PER_SOL);
  await connection.confirmTransaction({ signature: airdrop, ...(await connection.getLatestBlockhash()) });
  const transfer = SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: 7_000_000 });
  const signature = await sendAndConfirmTransaction(connection, new Transaction().add(transfer), [payer]);
  const shown = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
  expect(shown?.meta?.err).toBeNull();
  await chain.pause();
  const height = await connection.getBlockHeight('processed');
  closeClient(connection);
  await chain.stop();
  expect(isRunning(chain.pid)).toBe(false);

  const again = await spawnLocalSolana({ main, dataDir });
  try {
    expect(again.resumed).toBe(true);
    expect(again.genesisHash).toBe(chain.genesisHash);
    const known = new Connection(again.rpcUrl, 'confirmed');
    expect(await known.getBlockHeight('processed')).toBe(height);
    expect(await known.getBalance(to)).toBe(7_000_000);
    const same = await known.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(JSON.stringify(same)).toBe(JSON.stringify(shown));
    const one = await again.slot();
    await again.skip(2);
    const two = await again.slot();
    expect([two.slot, two.parentSlot]).toEqual([one.slot + 3, one.slot]);
    const [made] = await again.fork(1, { sameSlots: true });
    expect(made).toMatchObject({ slot: two.slot, parentSlot: one.slot });
    expect(made?.hash).not.toBe(two.hash);
    await expect(again.fork(1000)).rejects.toThrow('a fork replaces 1 to');
    const address = Keypair.generate().publicKey.toBase58();
    const owner = SystemProgram.programId.toBase58();
    await again.setAccount(address, { lamports: 5n, owner, data: new Uint8Array(1), executable: false, rentEpoch: 0n });
    const { result } = await rpcCall(again.rpcUrl, 'getBalance', address, { commitment: 'processed' });
    expect(result.value).toBe(5);
  } finally {
    await again.stop();
  }
});

test('the chain ends with the program that started it, kill -9 included', async () => {
  const module = join(ROOT, 'dist/libs/devkit/devnet/solana/spawn-solana.js');
  const code = `const { spawnLocalSolana } = await import(${JSON.stringify(module)});
    const chain = await spawnLocalSolana({ autoSlots: true });
    console.log(chain.pid);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = await new Promise<number>((resolve) => parent.stdout.once('data', (text) => resolve(Number(text))));
  expect(isRunning(pid)).toBe(true);
  parent.kill('SIGKILL');
  await until('the end of the chain', () => !isRunning(pid));
});

test('a port in use is said plainly, in process and out of it', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { port: number };
  try {
    const message = expect.stringContaining(`port ${port} of the local Solana chain is in use`);
    await expect(startLocalSolana({ port })).rejects.toMatchObject({ code: 'port_in_use', message });
    await expect(spawnLocalSolana({ main, port })).rejects.toMatchObject({ code: 'devnet_start', message });
  } finally {
    await new Promise((resolve) => other.close(resolve));
  }
});
