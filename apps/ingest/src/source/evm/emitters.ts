import { LRUCache } from 'lru-cache';
import type { LogSlice } from '#libs/chain/chains/evm/log-batch.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';

/** Nodes take a list of some hundred addresses at the most. */
const MOST = 500;

/** The contracts whose logs were heard last, for nodes that give logs of named contracts alone. */
export class Emitters {
  private readonly recent = new LRUCache<string, true>({ max: MOST });

  constructor(chain: ChainSpec) {
    const named = [
      ...chain.venues.map(({ factory }) => factory),
      ...chain.launchContracts.map(({ address }) => address),
      chain.wrappedNative.token,
      ...chain.stables.map(({ token }) => token),
    ];
    for (const address of named) this.recent.set(`0x${address}`, true);
  }

  heard(logs: LogSlice): void {
    logs.each(({ address }) => this.recent.set(address, true));
  }

  all(): readonly string[] {
    return [...this.recent.keys()];
  }
}
