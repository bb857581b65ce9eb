import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { Hex } from '#libs/core/ids.js';
import type { SupervisedStage } from '#libs/platform/supervisor.js';
import { WatchedAccount, type WatchedAccountOptions } from '#libs/routing/pools/solana/watched-account.js';
import { configId, readSwapConfig } from '#programs/client.js';
import type { DeploymentState, SwapDeployment } from '../model/deployment.js';

export interface WatchedDeploymentOptions extends Omit<WatchedAccountOptions, 'address'> {
  /** Slug of the chain. */
  chain: string;
  program: Hex;
  /** A config that was last read longer ago than this is not used. */
  maxAgeMs?: number;
}

const MAX_AGE_MS = 15_000;

/**
 * Watches the config account of a deployment on the chain. Invariant: the config that it shows is owned by the program,
 * and was read recently enough.
 */
export class WatchedDeployment implements SwapDeployment, SupervisedStage {
  readonly name: string;
  readonly program: Hex;
  private readonly watched: WatchedAccount;
  private readonly maxAgeMs: number;
  private readonly owner: string;
  private shown: { account: SolanaAccount; state: DeploymentState | null } | null = null;

  constructor({ chain, program, maxAgeMs, ...watched }: WatchedDeploymentOptions) {
    this.name = `swap-program.${chain}`;
    this.program = program;
    this.owner = solanaIds.formatAddress(program);
    this.maxAgeMs = maxAgeMs ?? MAX_AGE_MS;
    this.watched = new WatchedAccount({ ...watched, address: solanaIds.formatAddress(configId(program)) });
  }

  run(signal: AbortSignal): Promise<void> {
    return this.watched.run(signal);
  }

  state(): DeploymentState | null {
    const { reading } = this.watched;
    if (reading === null || this.isOld(reading.askedAt)) return null;
    return this.read(reading.account, reading.slot);
  }

  get problem(): string {
    const { reading } = this.watched;
    if (reading === null) return 'the config of the swap program was not read yet';
    if (this.isOld(reading.askedAt)) return 'no node tells the config of the swap program';
    return `${this.owner} is no swap program with a config`;
  }

  private isOld(askedAt: number): boolean {
    return performance.now() - askedAt > this.maxAgeMs;
  }

  private read(account: SolanaAccount | null, slot: number): DeploymentState | null {
    if (account === null || account.owner !== this.owner) return null;
    const { shown } = this;
    if (account === shown?.account) return shown.state;
    const { data } = account;
    if (shown !== null && Buffer.compare(shown.account.data, data) === 0) {
      this.shown = { account, state: shown.state };
      return shown.state;
    }
    const config = readSwapConfig(data);
    const state = config && { config, slot };
    this.shown = { account, state };
    return state;
  }
}
