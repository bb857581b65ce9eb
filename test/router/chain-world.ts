import { join } from 'node:path';
import { LiveProject } from '#apps/ingest/src/project/live-project.js';
import { createSourceStage } from '#apps/ingest/src/source/source-stage.js';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { AnvilRpc } from '#libs/devkit/devnet/evm/anvil-rpc.js';
import { type LocalChain, type LocalSlug, startLocalChain } from '#libs/devkit/devnet/evm/local-chain.js';
import { heapPlaces } from '#libs/devkit/testing/heap-places.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { foldVersion } from '#libs/pipeline/fold/fold-version.js';
import { silentLogger } from '#libs/platform/logger.js';
import { Supervisor } from '#libs/platform/supervisor.js';

/**
 * One EVM chain from its real node into the log: a local chain that mines when asked, the source and the fold. No tables:
 * the router reads the log alone.
 */
export interface ChainWorldOptions {
  slug: LocalSlug;
  dir: string;
  log: EventLog;
  seed: number;
  historyBlocks: number;
  /** How its readers reach the node; by default directly. */
  rpcUrls?: (local: LocalChain) => readonly string[] | Promise<readonly string[]>;
}

export class ChainWorld {
  readonly errors: string[] = [];
  readonly supervisor: Supervisor;

  private constructor(
    readonly local: LocalChain,
    readonly rpc: AnvilRpc,
    readonly rpcUrls: readonly string[],
  ) {
    const error = (fields: object, message: string) => this.errors.push(`${message} ${JSON.stringify(fields)}`);
    this.supervisor = new Supervisor({ logger: { ...silentLogger, error } });
  }

  static async start(options: ChainWorldOptions): Promise<ChainWorld> {
    const { slug, dir, log, seed, historyBlocks } = options;
    const chain = chainSpec(slug)!;
    const dataDir = join(dir, slug);
    const local = await startLocalChain({
      ...{ chain: slug, dataDir: join(dataDir, 'node'), seed, historyBlocks, autoMine: false },
    });
    const rpcUrls = (await options.rpcUrls?.(local)) ?? [local.rpcUrl, local.wsUrl];
    const world = new ChainWorld(local, new AnvilRpc(local.rpcUrl), rpcUrls);
    const logger = silentLogger;
    const source = createSourceStage({
      ...{ chain, rpcUrls, startHeight: 0, dataDir: join(dataDir, 'source'), foldVersion, logger, log },
    });
    world.supervisor.start({ name: `source.${slug}`, run: (signal) => source.run(signal) });
    world.supervisor.start(
      new LiveProject({
        ...{ log, chain: slug, foldVersion },
        place: heapPlaces(),
      }),
    );
    return world;
  }

  /** The node's newest block. */
  async head(): Promise<{ height: number; hash: string }> {
    const head = await this.rpc.call<{ number: string; hash: string }>('eth_getBlockByNumber', ['latest', false]);
    return { height: Number(head.number), hash: head.hash.slice(2) };
  }

  async close(): Promise<void> {
    await this.supervisor.stop();
    await this.rpc.close();
    await this.local.stop();
  }
}

export const openWorldLog = (dir: string): Promise<EventLog> => openEmbeddedLog({ dir: join(dir, 'log') });
