import { type LocalChain, type LocalSlug, startLocalChain } from '#libs/devnet/local-chain.js';
import type { ChainConfig } from '#libs/platform/config.js';
import type { Runtime } from '#libs/platform/runtime.js';
import type { NodeAccess } from './router/src/evm/create-desk.js';

export interface ChainNode extends NodeAccess {
  startHeight: number | null;
}

/** Beside the first chain the others are quiet: their traders and their blocks must leave it the machine. */
const FIRST = { historyBlocks: 600, blockTimeMs: 1_000 };
const OTHERS = { historyBlocks: 150, blockTimeMs: 3_000, quiet: true };

/** The nodes that the configuration names, or the local chain of this instance. */
export async function nodesOf(
  runtime: Runtime,
  config: ChainConfig,
  options: { first: boolean; localChains: LocalChain[] },
): Promise<ChainNode> {
  const { slug, rpcUrls, startHeight, codePins } = config;
  if (!config.local) return { rpcUrls, startHeight, codePins, demoRpcUrl: null };
  const { folder, logger } = runtime;
  const fields = { chain: slug };
  logger.info(fields, 'no node is configured: starting a local chain');
  const local = await startLocalChain({
    ...{ chain: slug as LocalSlug, dataDir: folder.path('local-chain', slug), reorgs: true },
    ...(options.first ? FIRST : OTHERS),
    onFailure: (error) => logger.error({ ...fields, err: error }, 'the local chain stopped'),
    onProgress: (progress) => {
      if (progress.phase === 'ready' || progress.done % 100 === 0) {
        logger.info({ ...fields, ...progress }, 'local chain: making its history');
      }
    },
  });
  options.localChains.push(local);
  const { rpcUrl, wsUrl } = local;
  return { rpcUrls: [rpcUrl, wsUrl], startHeight: 0, codePins: local.codePins, demoRpcUrl: rpcUrl };
}
