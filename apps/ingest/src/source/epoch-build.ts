import { setTimeout as delay } from 'node:timers/promises';
import { EpochBrokenError, type SourceObserver } from '#libs/chains/source-port.js';
import { noSteps } from '#libs/core/steps.js';
import { readAcceptedCut } from '#libs/event-log/served-epoch.js';
import { ownSourceDir, sourceDir } from '#libs/saved-state/source-dir.js';
import { TailFile } from '#libs/saved-state/tail-file.js';
import { EpochKeeper, type WantedEpoch } from './epoch-keeper.js';
import { isFinal } from './final-failure.js';
import type { Publisher } from './publisher.js';
import type { SourceFamilies, SourceStageDeps } from './source-stage-deps.js';
import type { SourceStatusBoard } from './status-board.js';

/**
 * Reads an epoch that is not served yet, from the height at which the served one begins, with a source and files of its
 * own. Its failures are tried again and never disturb the served epoch; a fence or a broken log end both.
 */
export class EpochBuild {
  constructor(
    private readonly deps: SourceStageDeps,
    private readonly families: SourceFamilies,
    private readonly board: SourceStatusBoard,
  ) {}

  async run(wanted: WantedEpoch, served: Publisher, signal: AbortSignal): Promise<void> {
    const { retryMs = 250, maxRetryMs = 15_000 } = this.deps;
    let { above } = wanted;
    let failures = 0;
    try {
      while (!signal.aborted) {
        try {
          await this.session({ ...wanted, above }, served, signal);
          failures = 0;
        } catch (error) {
          if (signal.aborted) return;
          if (isFinal(error)) throw error;
          if (error instanceof EpochBrokenError) above = this.board.building?.epoch ?? above;
          this.board.buildFailed(error as Error);
          await delay(Math.min(retryMs * 2 ** Math.min(failures++, 10), maxRetryMs), undefined, { signal }).catch(
            () => undefined,
          );
        }
      }
    } finally {
      this.board.watchBuild(null, '');
    }
  }

  private async session(wanted: WantedEpoch, served: Publisher, signal: AbortSignal): Promise<void> {
    const { deps, board } = this;
    const { chain, log, dataDir, startHeight } = deps;
    const cut = await readAcceptedCut(log, chain.slug);
    const replacedStart = served.reference.startHeight;
    const from = cut ?? Math.min(startHeight ?? replacedStart, replacedStart);
    const observer: SourceObserver = {
      head: () => board.buildAdvanced(),
      rpcError: (_kind, _endpoint, message) => board.buildFailed(new Error(message)),
    };
    const probe = this.families[chain.family]({ ...deps, dataDir }, observer);
    const shared = { log, chain, steps: deps.steps ?? noSteps, maxAppendBytes: deps.maxAppendBytes ?? 4 * 1024 * 1024 };
    let epoch: number;
    try {
      const keeper = new EpochKeeper({ ...shared, observer: board.observer }, deps.foldVersion);
      epoch = await keeper.numberFor(wanted, served, probe, from);
    } finally {
      await probe.close();
    }
    const known = (await log.describe()).some(({ name }) => name === `blocks.${chain.slug}.e${epoch}`);
    const dir = known ? await sourceDir(dataDir, epoch) : ownSourceDir(dataDir, epoch);
    const source = this.families[chain.family]({ ...deps, dataDir: dir }, observer);
    const tailFile = new TailFile(dir, chain.slug);
    const keeper = new EpochKeeper({ ...shared, observer: board.observer, tailFile }, deps.foldVersion);
    try {
      const about = { reason: wanted.reason, replacedStart, cutAccepted: cut !== null };
      const publisher = await keeper.build(epoch, source, from, about, signal);
      try {
        board.watchBuild(publisher, wanted.reason);
        for await (const items of source.follow(publisher, signal)) await publisher.publish(items);
      } finally {
        await publisher.close();
      }
    } finally {
      await source.close();
    }
  }
}
