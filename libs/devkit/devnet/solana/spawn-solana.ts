import { fileURLToPath } from 'node:url';
import { attach, control } from './attached-process.js';
import type { ForkOptions } from './chain.js';
import type { ChainAccount } from './chain-types.js';
import type { LocalSolana, LocalSolanaOptions, SlotSummary } from './local-solana.js';

/**
 * The local chain in a process of its own. The virtual machine is synchronous: a slot full of swaps would hold up
 * everything else in this process, and a fault inside the machine ends the process it runs in.
 */
export interface SpawnOptions
  extends Pick<LocalSolanaOptions, 'dataDir' | 'port' | 'seed' | 'autoSlots' | 'skipRate' | 'forkRate' | 'onFailure'> {
  slotMs?: number;
  /** The program that runs the chain; absent: the one next to this file. */
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

type Ready = Pick<LocalSolana, 'rpcUrl' | 'wsUrl' | 'genesisHash' | 'resumed' | 'faucet'>;

export async function spawnLocalSolana(options: SpawnOptions = {}): Promise<SpawnedSolana> {
  const { ready, pid, stop } = await attach<Ready, Ready>({
    main: options.main ?? fileURLToPath(new URL('./local-solana-main.js', import.meta.url)),
    flags: flags(options),
    name: 'the local Solana chain',
    startTimeoutMs: options.startTimeoutMs ?? 120_000,
    ready: (line) => line,
    onFailure: options.onFailure,
  });
  const { rpcUrl } = ready;
  return {
    ...ready,
    pid,
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
    stop,
  };
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
