import { execFile } from 'node:child_process';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { TidepoolError } from '#libs/core/errors.js';
import type { AnvilRpc } from './anvil-rpc.js';
import type { ChainPool, ChainToken } from './market-plan.js';
import type { ChainV4Pool } from './uniswap-v4/plan.js';

/**
 * The local chain's folder. `chain.json` exists only once the market is set up: without it the chain starts from nothing.
 * `state.json` is written by us, whole or not at all; `state-at-exit.json` by anvil when it ends without us, and may be
 * cut short. The higher one that is whole wins. `node.pid` names the node that may still be writing.
 */
export interface ChainRecord {
  version: 1;
  seed: number;
  chainId: number;
  genesisHash: string;
  /** Unix seconds. A node that resumes must make the same genesis, or the state it saves holds two blocks 0. */
  genesisTime: number;
  tokens: ChainToken[];
  pools: ChainPool[];
  /** Absent in folders of earlier versions and on chains without Uniswap V4. */
  v4Pools?: ChainV4Pool[];
  /** Absent in folders of earlier versions. */
  codePins?: Record<string, string>;
}

const unzip = promisify(gunzip);
const run = promisify(execFile);
const PREDECESSOR_PATIENCE_MS = 30_000;
/** Blocks of text that are read to find the height, which comes after the accounts. */
const SCAN_BYTES = 1 << 20;

export class ChainFiles {
  constructor(private readonly folder: string) {}

  get exitState(): string {
    return join(this.folder, 'state-at-exit.json');
  }

  private get ownState(): string {
    return join(this.folder, 'state.json');
  }

  private get record(): string {
    return join(this.folder, 'chain.json');
  }

  private get nodePid(): string {
    return join(this.folder, 'node.pid');
  }

  /** The chain to resume and the state file to load, or null for a new one; leftovers of an unfinished one are removed. */
  async open(): Promise<{ record: ChainRecord; stateFile: string } | null> {
    await mkdir(this.folder, { recursive: true });
    await this.awaitPredecessor();
    const record = await this.readRecord();
    const stateFile = record ? await this.newestState() : null;
    if (record && stateFile) return { record, stateFile };
    if (record) {
      throw new TidepoolError(
        'devnet_state',
        `the local chain in ${this.folder} has no readable state; remove the folder to start a new chain`,
      );
    }
    await Promise.all([this.ownState, this.exitState].map((path) => rm(path, { force: true })));
    return null;
  }

  async writeRecord(record: ChainRecord): Promise<void> {
    await this.replace(this.record, JSON.stringify(record, null, 1));
  }

  async writeNodePid(pid: number): Promise<void> {
    await this.replace(this.nodePid, `${pid}\n`);
  }

  /** Asks the node for its whole state (blocks, receipts, accounts) and keeps it. */
  async saveState(rpc: AnvilRpc): Promise<void> {
    const dump = await rpc.call<string>('anvil_dumpState');
    await this.replace(this.ownState, await unzip(Buffer.from(dump.slice(2), 'hex')));
  }

  /** After an orderly stop our own state holds everything that anvil wrote at its end. */
  async closed(): Promise<void> {
    await Promise.all([this.exitState, this.nodePid].map((path) => rm(path, { force: true })));
  }

  private async readRecord(): Promise<ChainRecord | null> {
    const text = await readIfThere(this.record);
    if (text === null) return null;
    const record = JSON.parse(text) as ChainRecord;
    if (record.version !== 1) {
      throw new TidepoolError('devnet_state', `the local chain in ${this.folder} was written by another version`);
    }
    return record;
  }

  /** A node whose program was killed writes its state before it ends: no process may read or write before that. */
  private async awaitPredecessor(): Promise<void> {
    const text = await readIfThere(this.nodePid);
    if (text === null) return;
    const pid = Number.parseInt(text, 10);
    const deadline = Date.now() + PREDECESSOR_PATIENCE_MS;
    while (await isAnvil(pid)) {
      if (Date.now() > deadline) {
        throw new TidepoolError('devnet_busy', `the local chain in ${this.folder} is used by process ${pid}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await rm(this.nodePid, { force: true });
  }

  private async newestState(): Promise<string | null> {
    let best: { path: string; height: number } | null = null;
    for (const path of [this.ownState, this.exitState]) {
      const height = await stateHeight(path);
      if (height !== null && (best === null || height > best.height)) best = { path, height };
    }
    return best?.path ?? null;
  }

  private async replace(path: string, content: string | Buffer): Promise<void> {
    const temporary = `${path}.${process.pid}.tmp`;
    const file = await open(temporary, 'w');
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A process that ends while its entry is read gives ESRCH.
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
}

/** Whether a process with this id lives and is an anvil; ids are used again for other programs. */
async function isAnvil(pid: number): Promise<boolean> {
  if (!(pid > 0)) return false;
  if (process.platform === 'linux') {
    // "pid (name) state …"; a zombie has ended.
    const status = await readIfThere(`/proc/${pid}/stat`);
    return status !== null && /\(anvil[^)]*\) [^Z]/.test(status);
  }
  try {
    const { stdout } = await run('ps', ['-p', String(pid), '-o', 'comm=']);
    return /anvil/.test(stdout);
  } catch (error) {
    // ps ends with 1 when there is no such process.
    if ((error as { code?: unknown }).code === 1) return false;
    throw error;
  }
}

/**
 * Height of a state file, or null when it is missing or cut short. Read by its ends: a whole file may be larger than
 * what a string can hold.
 */
async function stateHeight(path: string): Promise<number | null> {
  let size: number;
  try {
    size = (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const file = await open(path, 'r');
  try {
    const tail = Buffer.alloc(Math.min(size, 64));
    await file.read(tail, 0, tail.length, size - tail.length);
    if (!/"historical_states":\s*null\s*\}\s*$/.test(tail.toString('latin1'))) return null;
    let carried = '';
    const chunk = Buffer.alloc(SCAN_BYTES);
    for (let at = 0; at < size; at += SCAN_BYTES) {
      const { bytesRead } = await file.read(chunk, 0, SCAN_BYTES, at);
      const text = carried + chunk.toString('latin1', 0, bytesRead);
      const found = /"best_block_number":\s*"?(0x[0-9a-f]+|\d+)"?[,}]/.exec(text);
      if (found) return Number(found[1]);
      carried = text.slice(-64);
    }
    return null;
  } finally {
    await file.close();
  }
}
