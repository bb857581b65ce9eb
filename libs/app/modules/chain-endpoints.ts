import type { Hex } from '#libs/core/ids.js';
import type { Config } from '#libs/platform/config.js';

/** Where one chain's nodes answer, and the configuration of the chain. */
export interface ChainEndpoint {
  /** In order of preference. */
  rpcUrls: readonly string[];
  startHeight: number | null;
  codePins: ReadonlyMap<Hex, Hex>;
  /** Slots that no node completes are taken as they are. */
  takeIncomplete?: boolean;
  /** The local chain's own node, for pages; null on a real chain. */
  demoRpcUrl: string | null;
  /** Of a local Solana chain: the swap program that it deployed, base58. */
  swapProgram?: string;
  /** Of a local Solana chain: its node takes bundles, and a key with coins of no worth pays their tips. */
  bundles?: { readonly url: string; readonly tipKey: Uint8Array };
}

/** Where chains answer. A local chain is made first, so that its answer may come late, or never when the process ends. */
export interface ChainEndpoints {
  of(chain: string): Promise<ChainEndpoint>;
}

/** The nodes that the configuration names. */
export class ConfiguredEndpoints implements ChainEndpoints {
  constructor(private readonly config: Pick<Config, 'chains'>) {}

  async of(chain: string): Promise<ChainEndpoint> {
    const {
      rpcUrls,
      startHeight,
      codePins,
      takeIncomplete = false,
    } = this.config.chains.find(({ slug }) => slug === chain)!;
    return { rpcUrls, startHeight, codePins, takeIncomplete, demoRpcUrl: null };
  }
}
