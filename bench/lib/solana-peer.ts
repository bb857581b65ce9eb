import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installPeer } from './install-peer.js';

/** The public decoder that ours is measured against, in a process of its own, at a pinned version. */
export interface PeerTrade {
  dex: string;
  program: string;
  inputMint: string;
  inputAmount: string;
  outputMint: string;
  outputAmount: string;
  /** "3-9": the top-level instruction and its own count of what is below it. */
  instruction: string;
}

export interface PeerRun {
  /** Trades of each answer, or why it failed on it. */
  trades: (PeerTrade[] | { failed: string })[];
  transactions: number;
  cpuSeconds: number;
}

/** A trade that the peer finds and we do not, and why not. */
export interface Difference {
  signature: string;
  instruction: string;
  dex: string;
  reason: string;
}

const SOURCE = 'bench/peers/solana';
const run = promisify(execFile);

export async function runSolanaPeer(answers: readonly unknown[], seconds: number): Promise<PeerRun> {
  const target = await installPeer('solana');
  await writeFile(join(target, 'answers.json'), JSON.stringify(answers));
  const { stdout } = await run(process.execPath, ['run.cjs', 'answers.json', String(seconds)], {
    cwd: target,
    maxBuffer: 64 << 20,
  });
  return JSON.parse(stdout) as PeerRun;
}

export async function knownDifferences(): Promise<Difference[]> {
  return JSON.parse(await readFile(join(SOURCE, 'differences.json'), 'utf8')) as Difference[];
}
