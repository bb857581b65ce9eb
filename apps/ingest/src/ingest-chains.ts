import type { IngestChain, IngestChainStatus } from './create-ingest.js';
import type { LeaseStatus } from './lease/chain-lease.js';

/** The chains whose stages were started, in that order. */
export class IngestChains {
  private readonly chains: IngestChain[] = [];

  add(chain: IngestChain): void {
    this.chains.push(chain);
  }

  /** Of which of them this process is the active one, and of which the standby. */
  roles(): ({ chain: string } & LeaseStatus)[] {
    return this.status().map(({ chain, lease }) => ({ chain, ...lease }));
  }

  status(): IngestChainStatus[] {
    return this.chains.map((chain) => chain.status());
  }
}
