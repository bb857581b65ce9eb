import type { Hex } from '#libs/core/ids.js';
import type { SwapConfig } from '#programs/client.js';

/** The swap program that is built for, and its config as it is on chain. */
export interface SwapDeployment {
  readonly program: Hex;
  /** Null while it was not read, is none, or its newest reading is too old. */
  state(): DeploymentState | null;
  /** Why there is none, as a sentence. */
  readonly problem: string;
}

/** The same object until another config is read. */
export interface DeploymentState {
  readonly config: SwapConfig;
  /** Of the reading that first had it so. */
  readonly slot: number;
}
