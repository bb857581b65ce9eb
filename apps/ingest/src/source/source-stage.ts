import { setTimeout as delay } from 'node:timers/promises';
import { type ChainSource, EpochBrokenError, type SourceObserver } from '#libs/chains/source-port.js';
import { FencedError, LogBrokenError, TidepoolError, UndecodableError } from '#libs/core/errors.js';
import { noSteps, type Steps } from '#libs/core/steps.js';
import type { EventLog } from '#libs/event-log/log.js';
import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
import { TailFile } from '#libs/saved-state/tail-file.js';
import { type EndedEpoch, readEndedEpoch, runUntilChanged } from '../served-epoch.js';
import { EpochKeeper } from './epoch-keeper.js';
import { EvmSource } from './evm/evm-source.js';
import type { EvmSourceOverrides } from './evm/options.js';
import type { Publisher } from './publisher.js';
import { createSolanaSource } from './solana/create-solana-source.js';
import type { SolanaSourceOverrides } from './solana/options.js';
import type { SourceLogger, SourceStage } from './source-status.js';
import { SourceStatusBoard } from './status-board.js';

export interface SourceStageDeps {
  log: EventLog;
  chain: ChainSpec;
  /** HTTP URLs in order of preference; ws URLs among them only announce heads. */
  rpcUrls: readonly string[];
  /** Below the start of the present epoch it opens a new one. Undefined: near the head for a first start. */
  startHeight?: number;
  dataDir: string;
  /** Named in the record that says which epoch is served. */
  foldVersion: number;
  steps?: Steps;
  observer?: SourceObserver;
  logger?: SourceLogger;
  options?: EvmSourceOverrides;
  solanaOptions?: SolanaSourceOverrides;
  maxAppendBytes?: number;
  /** Pause before starting over after an infrastructure failure; doubles up to the maximum. */
  retryMs?: number;
  maxRetryMs?: number;
}

/** The stage from a chain's nodes to `blocks.<chain>`: it publishes what the source yields and starts over when it must. */
export function createSourceStage(deps: SourceStageDeps): SourceStage {
  const board = new SourceStatusBoard(deps.chain.slug, deps.observer, deps.logger);
  return {
    run: (signal) => new StageRun(deps, board).run(signal),
    status: () => board.status(),
  };
}

/** Families of sources; one line each. */
const families: Record<ChainSpec['family'], (deps: SourceStageDeps, observer: SourceObserver) => ChainSource> = {
  evm: ({ chain, rpcUrls, dataDir, options }, observer) =>
    new EvmSource({ chain, rpcUrls, dataDir, observer, options }),
  solana: ({ chain, rpcUrls, dataDir, solanaOptions }, observer) =>
    createSolanaSource({ chain, rpcUrls, dataDir, observer, options: solanaOptions }),
};

class StageRun {
  constructor(
    private readonly deps: SourceStageDeps,
    private readonly board: SourceStatusBoard,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    const { chain, retryMs = 250, maxRetryMs = 15_000 } = this.deps;
    const source = families[chain.family](this.deps, this.board.observer);
    this.board.listen(source);
    let failures = 0;
    try {
      while (!signal.aborted) {
        const before = this.board.status().seq;
        try {
          await this.session(source, signal);
        } catch (error) {
          if (signal.aborted) break;
          if (isFinal(error)) throw error;
          failures = this.board.status().seq === before ? failures + 1 : 0;
          this.board.observer.restarted?.(error as Error);
          const pause = Math.min(retryMs * 2 ** Math.min(failures, 10), maxRetryMs);
          await delay(pause, undefined, { signal }).catch(() => undefined);
        }
      }
    } catch (error) {
      this.board.failed(error as Error);
      throw error;
    } finally {
      this.board.observer.state?.('stopped');
      await source.close();
    }
  }

  /** From fencing to the first failure: everything is read again from the log, nothing is carried over. */
  private async session(source: ChainSource, signal: AbortSignal): Promise<void> {
    const { deps, board } = this;
    board.observer.state?.('starting');
    const keeper = new EpochKeeper(
      {
        log: deps.log,
        chain: deps.chain,
        steps: deps.steps ?? noSteps,
        observer: board.observer,
        maxAppendBytes: deps.maxAppendBytes ?? 4 * 1024 * 1024,
        tailFile: new TailFile(deps.dataDir, deps.chain.slug),
      },
      deps.foldVersion,
    );
    let publisher = await keeper.open(source, deps.startHeight, signal);
    try {
      for (;;) {
        board.watch(publisher);
        try {
          await this.follow(publisher, source, signal);
          return;
        } catch (error) {
          if (!(error instanceof EpochBrokenError)) throw error;
          publisher = await this.replace(keeper, publisher, source, error, signal);
        }
      }
    } finally {
      board.watch(null);
      await publisher.close();
    }
  }

  /** Publishes what the source yields until the signal aborts, or until the fold says that the epoch has ended. */
  private async follow(publisher: Publisher, source: ChainSource, signal: AbortSignal): Promise<void> {
    const { log, chain } = this.deps;
    let ended: EndedEpoch | null = null;
    try {
      await runUntilChanged(
        async (own) => {
          for await (const items of source.follow(publisher, own)) await publisher.publish(items);
        },
        async () => {
          const said = await readEndedEpoch(log, chain.slug);
          if (said?.epoch === publisher.epoch) ended = said;
          return ended !== null;
        },
        signal,
      );
    } catch (error) {
      if (ended === null) throw error;
    }
    if (ended !== null) throw new EpochBrokenError((ended as EndedEpoch).reason);
  }

  private async replace(
    keeper: EpochKeeper,
    old: Publisher,
    source: ChainSource,
    reason: EpochBrokenError,
    signal: AbortSignal,
  ): Promise<Publisher> {
    await old.close();
    return keeper.next(old.epoch + 1, source, this.deps.startHeight, reason.message, signal);
  }
}

/** Failures that no retry cures: another writer took over, the log contradicts itself, or the configuration is wrong. */
function isFinal(error: unknown): boolean {
  if (error instanceof FencedError || error instanceof LogBrokenError || error instanceof UndecodableError) return true;
  return error instanceof TidepoolError && ['wrong_chain', 'no_rpc', 'unknown_venue'].includes(error.code);
}
