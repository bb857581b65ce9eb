import { connectAdmin } from '#libs/platform/admin-client.js';
import { loadConfig } from '#libs/platform/config.js';

/** The local Solana chain of the instance on the data folder, as its status tells it under `localNodes.sol`. */
export interface LocalNode {
  rpcUrl: string;
  /** Base58 address of the deployment its router serves. */
  swapProgram?: string;
}

export async function findLocalNode(signal: AbortSignal): Promise<LocalNode | null> {
  const { configurableChains } = await import('#libs/chain/catalogue/catalogue.js');
  const { dataDir } = loadConfig({ app: 'cli', chains: configurableChains });
  const running = await connectAdmin(dataDir);
  if (!running) return null;
  const status = await running.call('status', {}, { signal, progress: () => {}, line: async () => {} });
  const { localNodes } = status as { localNodes?: { sol?: LocalNode } };
  return localNodes?.sol ?? null;
}
