import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { TidepoolError } from '#libs/core/errors.js';
import type { ForkOptions } from './chain.js';
import type { ChainAccount } from './chain-types.js';
import type { LocalSolana, LocalSolanaOptions, SlotSummary } from './local-solana.js';

/**
 * The local chain in a process of its own. The virtual machine is synchronous: a slot full of swaps would hold up
 * whatever else this process does, and a fault inside the machine ends the process it runs in. The chain cannot outlive
 * us: it stops when its standard input closes, which the kernel does on any death, kill -9 included.
 */
export interface SpawnOptions
  extends Pick<
    LocalSolanaOptions,
    'dataDir' | 'port' | 'seed' | 'slotMs' | 'autoSlots' | 'skipRate' | 'forkRate' | 'onFailure'
  > {
  /** The program that runs the chain; absent: the one beside this file. */
  main?: string;
  startTimeoutMs?: number;
}

export interface SpawnedSolana extends Ready {
  readonly pid: number;
  slot(): Promise<SlotSummary>;
  skip(count?: number): Promise<void>;
  fork(depth: number, options?: ForkOptions): Promise<SlotSummary[]>;
  deploy(programId: string, code: Uint8Array): Promise<void>;
  setAccount(address: string, account: ChainAccount): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

const ERROR_TAIL = 2000;

export async function spawnLocalSolana(options: SpawnOptions = {}): Promise<SpawnedSolana> {
  const main = options.main ?? fileURLToPath(new URL('./local-solana-main.js', import.meta.url));
  const child = spawn(process.execPath, [main, '--attached', ...flags(options)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // A session of its own: Ctrl-C reaches us, and we stop it in order.
    detached: true,
  });
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told = (told + text).slice(-ERROR_TAIL);
  });
  // The chain may end before it has read anything.
  child.stdin.on('error', () => undefined);
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(`${signal ?? `code ${code}`}: ${told.trim()}`));
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), options.startTimeoutMs ?? 30_000);
  const ready = await firstLine(child.stdout);
  clearTimeout(timer);
  if (!ready) throw new TidepoolError('devnet_start', `the local Solana chain did not start: ${await exited}`);
  child.stdout.resume();

  let stopping = false;
  void exited.then((why) => {
    if (!stopping) options.onFailure?.(new TidepoolError('devnet_ended', `the local Solana chain ended: ${why}`));
  });
  const { rpcUrl } = ready;
  return {
    ...ready,
    pid: child.pid as number,
    slot: () => control(rpcUrl, 'devnet_slot'),
    skip: (count = 1) => control(rpcUrl, 'devnet_skip', count),
    fork: (depth, forkOptions = {}) => control(rpcUrl, 'devnet_fork', depth, forkOptions),
    deploy: (programId, code) => control(rpcUrl, 'devnet_deploy', programId, Buffer.from(code).toString('base64')),
    setAccount: (address, { lamports, data, ...rest }) => {
      const account = { ...rest, lamports: lamports.toString(), data: Buffer.from(data).toString('base64') };
      return control(rpcUrl, 'devnet_setAccount', address, { ...account, rentEpoch: undefined });
    },
    pause: () => control(rpcUrl, 'devnet_pause'),
    resume: () => control(rpcUrl, 'devnet_resume'),
    stop: async () => {
      stopping = true;
      child.stdin.end();
      await exited;
    },
  };
}

type Ready = Pick<LocalSolana, 'rpcUrl' | 'wsUrl' | 'genesisHash' | 'resumed' | 'faucet'>;

async function firstLine(output: Readable): Promise<Ready | null> {
  for await (const line of createInterface({ input: output })) return JSON.parse(line) as Ready;
  return null;
}

function flags(options: SpawnOptions): string[] {
  const named = {
    data: options.dataDir,
    port: options.port,
    seed: options.seed,
    'slot-ms': options.slotMs,
    'skip-rate': options.skipRate,
    'fork-rate': options.forkRate,
  };
  const given = Object.entries(named).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, `${value}`],
  );
  return options.autoSlots === true ? given : [...given, '--no-auto-slots'];
}

async function control<T>(url: string, method: string, ...params: unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const answer = (await response.json()) as { result?: T; error?: { message: string } };
  if (answer.error) throw new TidepoolError('devnet_control', `${method}: ${answer.error.message}`);
  return answer.result as T;
}
