import type { IngestChain, IngestChainStatus } from './create-ingest.js';

/** The chains whose stages were started, in that order. */
export class IngestChains {
  private readonly chains: IngestChain[] = [];

  add(chain: IngestChain): void {
    this.chains.push(chain);
  }

  status(): IngestChainStatus[] {
    return this.chains.map((chain) => chain.status());
  }
}
