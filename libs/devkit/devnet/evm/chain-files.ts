import { execFile } from 'node:child_process';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { TidepoolError } from '#libs/core/errors.js';
import type { AnvilRpc } from './anvil-rpc.js';
import type { ChainPool, ChainToken } from './market-plan.js';
import { stateHeight, trimmedState } from './node-state.js';
import type { ChainV4Pool } from './uniswap-v4/chain-pool.js';

/**
 * The local chain's folder. `chain.json` exists only once the market is set up: without it the chain starts from nothing.
 * `state.json.gz` is written by us, whole or not at all; `state-at-exit.json` by anvil when it ends without us, and may be
 * cut short. The higher one that is whole wins; the node loads it without its oldest blocks. `node.pid` names the node that
 * may still be writing.
 */
export interface ChainRecord {
  version: 1;
  seed: number;
  chainId: number;
  genesisHash: string;
  /** Unix seconds. A node that resumes must make the same genesis, or the state it saves holds two blocks 0. */
  genesisTime: number;
  /** The rules of its blocks, which the genesis depends on too. Absent in folders of earlier versions: the node's own. */
  hardfork?: string;
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

export class ChainFiles {
  constructor(private readonly folder: string) {}

  get exitState(): string {
    return join(this.folder, 'state-at-exit.json');
  }

  private get ownState(): string {
    return join(this.folder, 'state.json.gz');
  }

  /** Our own state in folders of earlier versions. */
  private get plainState(): string {
    return join(this.folder, 'state.json');
  }

  /** What is there only while a node starts: our own state as text, and the state that the node loads. */
  private get unzippedState(): string {
    return join(this.folder, 'state-unzipped.json');
  }

  private get loadedState(): string {
    return join(this.folder, 'state-to-load.json');
  }

  private get record(): string {
    return join(this.folder, 'chain.json');
  }

  private get nodePid(): string {
    return join(this.folder, 'node.pid');
  }

  /**
   * The chain to resume and the state file to load, with the newest `keep` blocks, or null for a new one; leftovers of an
   * unfinished one are removed.
   */
  async open(keep: number): Promise<{ record: ChainRecord; stateFile: string } | null> {
    await mkdir(this.folder, { recursive: true });
    await this.awaitPredecessor();
    const record = await this.readRecord();
    const stateFile = record ? await this.stateToLoad(keep) : null;
    if (record && stateFile) return { record, stateFile };
    if (record) {
      throw new TidepoolError(
        'devnet_state',
        `the local chain in ${this.folder} has no readable state; remove the folder to start a new chain`,
      );
    }
    await this.remove(this.ownState, this.plainState, this.exitState);
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
    await this.replace(this.ownState, rpc.bytes('anvil_dumpState'));
    await this.remove(this.plainState);
  }

  /** The node has read its state. */
  async loaded(): Promise<void> {
    await this.remove(this.unzippedState, this.loadedState);
  }

  /** After an orderly stop our own state holds everything that anvil wrote at its end. */
  async closed(): Promise<void> {
    await this.remove(this.exitState, this.nodePid);
  }

  private async readRecord(): Promise<ChainRecord | null> {
    const bytes = await readIfThere(this.record);
    if (bytes === null) return null;
    const record = JSON.parse(bytes.toString('utf8')) as ChainRecord;
    if (record.version !== 1) {
      throw new TidepoolError('devnet_state', `the local chain in ${this.folder} was written by another version`);
    }
    return record;
  }

  /** A node whose program was killed writes its state before it ends: no process may read or write before that. */
  private async awaitPredecessor(): Promise<void> {
    const bytes = await readIfThere(this.nodePid);
    if (bytes === null) return;
    const pid = Number.parseInt(bytes.toString('utf8'), 10);
    const deadline = Date.now() + PREDECESSOR_PATIENCE_MS;
    while (await isAnvil(pid)) {
      if (Date.now() > deadline) {
        throw new TidepoolError('devnet_busy', `the local chain in ${this.folder} is used by process ${pid}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await rm(this.nodePid, { force: true });
  }

  private async stateToLoad(keep: number): Promise<string | null> {
    const zipped = await readIfThere(this.ownState);
    if (zipped !== null) await this.replace(this.unzippedState, await unzip(zipped));
    let best: { path: string; height: number } | null = null;
    for (const path of [this.unzippedState, this.plainState, this.exitState]) {
      const height = await stateHeight(path);
      if (height !== null && (best === null || height > best.height)) best = { path, height };
    }
    if (best === null) return null;
    const trimmed = trimmedState(await readFile(best.path), keep);
    if (trimmed === null) return best.path;
    await this.replace(this.loadedState, trimmed);
    return this.loadedState;
  }

  private async remove(...paths: string[]): Promise<void> {
    await Promise.all(paths.map((path) => rm(path, { force: true })));
  }

  private async replace(path: string, content: string | Buffer | AsyncIterable<Buffer>): Promise<void> {
    const temporary = `${path}.${process.pid}.tmp`;
    const file = await open(temporary, 'w');
    try {
      await writeFile(file, content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  }
}

async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
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
    return status !== null && /\(anvil[^)]*\) [^Z]/.test(status.toString('utf8'));
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
