import { setTimeout as delay } from 'node:timers/promises';
import { nodesFile } from '#libs/chain/chains/rpc/node-memory.js';
import { type ChainSource, EpochBrokenError } from '#libs/chain/chains/source-port.js';
import { solanaLaunchpads } from '#libs/chain/launchpads/solana-registry.js';
import { solanaVenues } from '#libs/chain/venues/solana-registry.js';
import { noSteps } from '#libs/core/steps.js';
import { sourceDir } from '#libs/pipeline/state/saved/source-dir.js';
import { TailFile } from '#libs/pipeline/state/saved/tail-file.js';
import { epochsTopic } from '#libs/protocol/topics.js';
import { aborted, type EndedEpoch, readEndedEpoch, readServedEpoch, runUntilChanged } from '../served-epoch.js';
import { EpochBuild } from './epoch-build.js';
import { EpochKeeper, type OpenedEpoch } from './epoch-keeper.js';
import { EvmSource } from './evm/evm-source.js';
import { isFinal } from './final-failure.js';
import type { Publisher } from './publisher.js';
import { SolanaKeeper } from './solana/decoding.js';
import { SolanaSource } from './solana/solana-source.js';
import { solanaTables } from './solana/tables.js';
import type { SourceFamilies, SourceStageDeps } from './source-stage-deps.js';
import { followPublished } from './source-standby.js';
import type { SourceStage } from './source-status.js';
import { SourceStatusBoard } from './status-board.js';

/** The stage from a chain's nodes to `blocks.<chain>`: it publishes what the source yields and starts over when it must. */
export function createSourceStage(deps: SourceStageDeps): SourceStage {
  const board = new SourceStatusBoard(deps.chain.slug, deps.observer, deps.logger);
  return {
    run: (signal) => new StageRun(deps, board).run(signal),
    standBy: (signal) => followPublished({ ...deps, observer: board.observer }, signal),
    status: () => board.status(),
  };
}

const allSolanaTables = solanaTables([...solanaVenues, ...solanaLaunchpads]);

/** Families of sources, over every venue and launchpad that this program reads. */
const families: SourceFamilies = {
  evm: ({ chain, rpcUrls, dataDir, nodesFile: file, options }, observer) =>
    new EvmSource({ chain, rpcUrls, dataDir, nodesFile: file, observer, options }),
  solana: ({ chain, rpcUrls, dataDir, nodesFile: file, solanaOptions }, observer) =>
    new SolanaSource({
      ...{ chain, rpcUrls, observer, options: solanaOptions },
      nodesFile: file,
      decoding: new SolanaKeeper(allSolanaTables, dataDir, chain.slug, observer),
    }),
};

class StageRun {
  constructor(
    private readonly deps: SourceStageDeps,
    private readonly board: SourceStatusBoard,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) await this.tenure(signal);
    } catch (error) {
      this.board.failed(error as Error);
      throw error;
    } finally {
      this.board.observer.state?.('stopped');
    }
  }

  /** As long as one epoch is served: the source and its files belong to that. */
  private async tenure(signal: AbortSignal): Promise<void> {
    const { log, chain, dataDir, retryMs = 250, maxRetryMs = 15_000 } = this.deps;
    await log.ensureTopics([epochsTopic]);
    const served = await readServedEpoch(log, chain.slug);
    const dir = await sourceDir(dataDir, served?.epoch ?? 1);
    const source = families[chain.family](
      { ...this.deps, dataDir: dir, nodesFile: nodesFile(dataDir, chain.slug) },
      this.board.observer,
    );
    this.board.listen(source);
    let failures = 0;
    try {
      while (!signal.aborted) {
        const before = this.board.status().seq;
        try {
          if (await this.session(source, dir, signal)) return;
        } catch (error) {
          if (signal.aborted) break;
          if (isFinal(error)) throw error;
          failures = this.board.status().seq === before ? failures + 1 : 0;
          this.board.observer.restarted?.(error as Error);
          const pause = Math.min(retryMs * 2 ** Math.min(failures, 10), maxRetryMs);
          await delay(pause, undefined, { signal }).catch(() => undefined);
        }
      }
    } finally {
      await source.close();
    }
  }

  /**
   * From fencing to the first failure: everything is read again from the log, nothing is carried over. True when another
   * epoch is served now.
   */
  private async session(source: ChainSource, dir: string, signal: AbortSignal): Promise<boolean> {
    const { deps, board } = this;
    board.observer.state?.('starting');
    const keeper = new EpochKeeper(
      {
        log: deps.log,
        chain: deps.chain,
        steps: deps.steps ?? noSteps,
        observer: board.observer,
        maxAppendBytes: deps.maxAppendBytes ?? 4 * 1024 * 1024,
        tailFile: new TailFile(dir, deps.chain.slug),
      },
      deps.foldVersion,
    );
    let opened = await keeper.open(source, deps.startHeight, signal);
    try {
      for (;;) {
        board.watch(opened.publisher);
        try {
          return await this.serve(opened, source, signal);
        } catch (error) {
          if (!(error instanceof EpochBrokenError)) throw error;
          opened = await keeper.broken(opened.publisher, source, deps.startHeight, error, signal);
        }
      }
    } finally {
      board.watch(null);
      await opened.publisher.close();
    }
  }

  /** Follows the served epoch, and builds another one next to it where one is wanted. */
  private async serve({ publisher, wanted }: OpenedEpoch, source: ChainSource, signal: AbortSignal): Promise<boolean> {
    if (wanted === null) return this.follow(publisher, source, true, signal);
    const end = new AbortController();
    const both = AbortSignal.any([signal, end.signal]);
    const build = new EpochBuild(this.deps, families, this.board);
    let failure: { error: unknown } | null = null;
    const building = build.run(wanted, publisher, both).catch((error: unknown) => {
      failure = { error };
      end.abort();
    });
    let moved: boolean;
    try {
      moved = await this.follow(publisher, source, wanted.continues, both);
    } finally {
      end.abort();
      await building;
    }
    if (failure !== null && !moved && !signal.aborted) throw (failure as { error: unknown }).error;
    return moved;
  }

  /**
   * Publishes what the source yields until the signal aborts, the fold says that the epoch has ended, or another epoch is
   * served (true). An epoch that this program must not append to is not continued.
   */
  private async follow(
    publisher: Publisher,
    source: ChainSource,
    mayAppend: boolean,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { log, chain } = this.deps;
    let ended: EndedEpoch | null = null;
    let moved = false;
    try {
      await runUntilChanged(
        async (own) => {
          if (!mayAppend) return aborted(own);
          for await (const items of source.follow(publisher, own)) await publisher.publish(items);
        },
        async () => {
          moved = (await readServedEpoch(log, chain.slug))?.epoch !== publisher.epoch;
          const said = mayAppend ? await readEndedEpoch(log, chain.slug) : null;
          if (said?.epoch === publisher.epoch) ended = said;
          return moved || ended !== null;
        },
        signal,
      );
    } catch (error) {
      if (ended === null && !moved) throw error;
    }
    if (ended !== null && !moved) throw new EpochBrokenError((ended as EndedEpoch).reason);
    return moved;
  }
}
