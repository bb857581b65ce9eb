import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Keypair } from '@solana/web3.js';
import { main } from '#apps/cli/src/main.js';
import type { Ran } from '#apps/cli/src/test/cli-folder.js';
import { type LocalSolana, startLocalSolana } from '#libs/devkit/devnet/solana/local-solana.js';
import { removeFolderSync } from '../remove-folder.js';

/** A local chain that makes its slots by itself, at a pace at which nothing expires on a busy machine, key files, and the command line on both. */
export class ProgramChain {
  readonly folder = mkdtempSync(join(tmpdir(), 'tidepool-program-'));
  private constructor(readonly chain: LocalSolana) {}

  static async start(): Promise<ProgramChain> {
    return new ProgramChain(await startLocalSolana({ autoSlots: true, slotMs: 250 }));
  }

  async stop(): Promise<void> {
    await this.chain.stop();
    removeFolderSync(this.folder);
  }

  /** A fresh key with that many lamports, and its file. */
  async wallet(name: string, lamports = 0n): Promise<Wallet> {
    const keypair = Keypair.generate();
    const path = join(this.folder, `${name}.json`);
    writeFileSync(path, JSON.stringify([...keypair.secretKey]), { mode: 0o600 });
    const address = keypair.publicKey.toBase58();
    const wallet = { keypair, path, address, id: keypair.publicKey.toBuffer().toString('hex') };
    if (lamports > 0n) {
      this.chain.airdrop(address, lamports);
      this.slots(2);
    }
    return wallet;
  }

  /** Makes that many blocks at once. */
  slots(count: number): void {
    for (let made = 0; made < count; made++) this.chain.slot();
  }

  /** `tidepool program …` in this process, on this chain unless another URL is given. */
  async run(...argv: string[]): Promise<Ran> {
    const [out, err]: [string[], string[]] = [[], []];
    const io = {
      stdin: [] as unknown as AsyncIterable<string>,
      stdout: { write: (text: string | Uint8Array) => out.push(String(text)) > 0 },
      stderr: { write: (text: string | Uint8Array) => err.push(String(text)) > 0 },
      signal: new AbortController().signal,
    };
    const code = await main(['program', ...argv, ...this.urlOf(argv)], io);
    return { code, out: out.join(''), err: err.join('') };
  }

  /** The same as a process of its own, from the build. */
  spawn(argv: string[], onStart: (pid: number) => void = () => {}): Promise<Ran> {
    const child = spawn(process.execPath, [CLI, 'program', ...argv, ...this.urlOf(argv)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: this.folder,
    });
    const [out, err]: [string[], string[]] = [[], []];
    child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => err.push(text));
    onStart(child.pid as number);
    return new Promise((resolve) => {
      child.once('close', (code) => resolve({ code: code ?? -1, out: out.join(''), err: err.join('') }));
    });
  }

  private urlOf = (argv: string[]): string[] =>
    argv.length === 0 || argv.includes('--url') ? [] : ['--url', this.chain.rpcUrl];
}

export interface Wallet {
  keypair: Keypair;
  path: string;
  address: string;
  id: string;
}

const CLI = fileURLToPath(new URL('../../../../scripts/tidepool.mjs', import.meta.url));

/** The address that a command printed in a line `name  value`. */
export const printedValue = (ran: Ran, name: string): string =>
  new RegExp(`^${name} +(\\S+)$`, 'm').exec(ran.out)?.[1] ?? `no ${name} in: ${ran.out}${ran.err}`;
