// Room: local chains with traders: `evm` over anvil, `solana` over a virtual machine. May import core, protocol,
// chain/amm, chain/chains, chain/venues, chain/launchpads, devkit/chain-builder, programs.

import { TidepoolError } from '#libs/core/errors.js';
import { startAnvil } from './anvil-process.js';
import { ChainFiles } from './chain-files.js';
import {
  ChainRunner,
  hardforkOf,
  KEPT_STATES,
  keptBlocks,
  MAX_SETUP_BLOCKS,
  SETUP_SPACING_SECONDS,
} from './chain-runner.js';
import { MARKETS } from './markets/all.js';
import type { LocalChain, LocalChainOptions } from './running-chain.js';

export type { ChainPool, ChainToken } from './market-plan.js';
export type { LocalSlug } from './markets/all.js';
export type { LocalChain, LocalChainOptions } from './running-chain.js';

export async function startLocalChain(options: LocalChainOptions): Promise<LocalChain> {
  const market = MARKETS[options.chain];
  const files = new ChainFiles(options.dataDir);
  const kept = keptBlocks(options);
  const found = await files.open(kept.afterStart);
  if (found && found.record.chainId !== market.chainId) {
    const { chainId } = found.record;
    throw new TidepoolError('devnet_state', `the folder ${options.dataDir} holds a local chain with id ${chainId}`);
  }
  const historySeconds = options.historySeconds ?? 6 * 3600;
  const end = options.historyEnd ?? Math.floor(Date.now() / 1000);
  const start = end - historySeconds - MAX_SETUP_BLOCKS * SETUP_SPACING_SECONDS;
  const hardfork = hardforkOf(options, found?.record ?? null);
  const node = await startAnvil({
    port: options.port ?? 0,
    args: [
      ...['--chain-id', String(market.chainId), '--prune-history', String(KEPT_STATES)],
      ...(hardfork === undefined ? [] : ['--hardfork', hardfork]),
      // The headers of older blocks stay until the next start: less than a kilobyte each.
      ...['--transaction-block-keeper', String(kept.whileRunning)],
      ...['--no-mining', '--order', 'fifo', '--quiet'],
      ...['--accounts', '1', '--gas-limit', '150000000', '--dump-state', files.exitState],
      // Only at the end: while it runs we ask for its state ourselves.
      ...['--state-interval', '100000000'],
      ...['--timestamp', String(found?.record.genesisTime ?? start)],
      ...(found ? ['--load-state', found.stateFile] : []),
    ],
  });
  try {
    await files.loaded();
    const runner = new ChainRunner(node, files, market, options, found?.record ?? null);
    await runner.begin(historySeconds);
    return runner;
  } catch (error) {
    await node.stop();
    throw error;
  }
}
