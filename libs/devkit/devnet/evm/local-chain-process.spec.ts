import { execFile, spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { quantityText, type RpcHeader } from '#libs/devkit/chain-builder/rpc-shapes.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { until } from '#libs/devkit/testing/until.js';
import { AnvilRpc } from './anvil-rpc.js';
import { startLocalChain } from './local-chain.js';
import { isRunning } from './test/is-running.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

test('a port in use is said plainly', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidepool-devnet-'));
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = other.address() as { port: number };
    await expect(startLocalChain({ chain: 'eth', dataDir, port })).rejects.toMatchObject({
      code: 'port_in_use',
      message: expect.stringContaining(`port ${port}`),
    });
  } finally {
    await new Promise((resolve) => other.close(resolve));
    await removeFolder(dataDir);
  }
});

test('kill -9 of the program leaves no anvil, and the next start resumes the chain', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidepool-devnet-'));
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/build.mjs')]);
  const main = join(ROOT, 'dist/libs/devkit/devnet/evm/local-chain-main.js');
  const run = async () => {
    const args = [main, '--data', dataDir, '--history', '5', '--block-time', '50', '--no-reorgs'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const exited = new Promise<string>((resolve) => {
      child.once('close', (code, signal) => resolve(`${signal ?? code}${code === 0 ? '' : `: ${output}`}`));
    });
    for await (const line of createInterface({ input: child.stdout })) {
      return { child, exited, ready: JSON.parse(line) as { rpcUrl: string; genesisHash: string; nodePid: number } };
    }
    throw new Error(`the program ended before it was ready: ${await exited}`);
  };
  try {
    const first = await run();
    const rpc = new AnvilRpc(first.ready.rpcUrl);
    const start = Number(await rpc.call<string>('eth_blockNumber'));
    let head = start;
    while (head < start + 5) head = Number(await rpc.call<string>('eth_blockNumber'));
    const block = await rpc.call<RpcHeader>('eth_getBlockByNumber', [quantityText(head), false]);
    await rpc.close();
    expect(isRunning(first.ready.nodePid)).toBe(true);
    first.child.kill('SIGKILL');
    expect(await first.exited).toMatch(/^SIGKILL/);
    await until('the end of the node', () => !isRunning(first.ready.nodePid));

    const second = await run();
    const again = new AnvilRpc(second.ready.rpcUrl);
    try {
      expect(second.ready.genesisHash).toBe(first.ready.genesisHash);
      // anvil wrote its state when it got the signal to end: nothing that a client saw is lost.
      const same = await again.call<RpcHeader>('eth_getBlockByNumber', [quantityText(head), false]);
      expect(same.hash).toBe(block.hash);
    } finally {
      await again.close();
      second.child.kill('SIGTERM');
    }
    expect(await second.exited).toBe('0');
    expect(isRunning(second.ready.nodePid)).toBe(false);
  } finally {
    await removeFolder(dataDir);
  }
});
