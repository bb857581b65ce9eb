import type { Hex } from '#libs/core/ids.js';
import type { SwapConfig } from '#programs/client.js';

/** The swap program that builds call, and its config on the chain. */
export interface SwapDeployment {
  readonly program: Hex;
  /** Null while the config was not read, while the account is no config, or while its newest reading is too old. */
  state(): DeploymentState | null;
  /** Why there is none, as a sentence. */
  readonly problem: string;
}

/** The same object until another config is read. */
export interface DeploymentState {
  readonly config: SwapConfig;
  /** The slot of the first reading that had this config. */
  readonly slot: number;
}
