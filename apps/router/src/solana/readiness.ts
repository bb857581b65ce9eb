import { notReady } from '../refusal.js';
import type { DeploymentState } from './model/deployment.js';
import type { SolanaChain, SolanaServices } from './ports.js';

/** The services of Solana, with the config that they serve by. */
export interface ReadySolana {
  readonly chain: SolanaChain;
  readonly services: SolanaServices;
  readonly deployment: DeploymentState;
  /** Venues that may be quoted now. */
  readonly servable: ReadonlySet<string>;
}

/** Every reason why Solana cannot be quoted now; none when it can. */
export function quoteReasons({ spec, services, absence, venues }: SolanaChain): string[] {
  if (services === null) return [`${spec.slug}: ${absence}`];
  const reasons: string[] = [];
  const state = services.deployment.state();
  if (state === null) reasons.push(`${spec.slug}: ${services.deployment.problem}`);
  else if (venues.servable(state).size === 0) {
    reasons.push(`${spec.slug}: no venue has a live row in the config of the swap program`);
  }
  if (services.pools.moment === null) reasons.push(`${spec.slug}: no pool was read yet`);
  return reasons;
}

export const pausedReason = (chain: string): string => `${chain}: the swap program is paused`;

/** Whether builds are refused because its config says so. */
export const isPaused = ({ services }: SolanaChain): boolean => services?.deployment.state()?.config.paused === true;

/** A refusal with every reason while it cannot be quoted. */
export function readySolana(chain: SolanaChain): ReadySolana {
  const { services, venues } = chain;
  const deployment = services?.deployment.state() ?? null;
  if (services === null || deployment === null || services.pools.moment === null) throw notReady(quoteReasons(chain));
  const servable = venues.servable(deployment);
  if (servable.size === 0) throw notReady(quoteReasons(chain));
  return { chain, services, deployment, servable };
}
