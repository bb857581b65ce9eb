import { setTimeout as delay } from 'node:timers/promises';
import { nodesFile } from '#libs/chain/chains/rpc/node-memory.js';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import { EpochBrokenError, type SourceObserver } from '#libs/chain/chains/source-port.js';
import { noSteps } from '#libs/core/steps.js';
import { type WantedEpoch, wantedStart } from '#libs/pipeline/epochs/next-epoch.js';
import { readAcceptedCut } from '#libs/pipeline/epochs/served-epoch.js';
import { ownSourceDir, sourceDir } from '#libs/pipeline/state/saved/source-dir.js';
import { TailFile } from '#libs/pipeline/state/saved/tail-file.js';
import { aborted, readServedEpoch, runUntilChanged } from '../served-epoch.js';
import { EpochKeeper } from './epoch-keeper.js';
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
    const { log, chain } = this.deps;
    let { above } = wanted;
    let failures = 0;
    this.board.wantBuild(wanted.reason);
    try {
      while (!signal.aborted) {
        try {
          const cut = await readAcceptedCut(log, chain.slug);
          // The flip takes the accepted cut away: what follows is no build of this kind any more.
          if ((await readServedEpoch(log, chain.slug))?.epoch !== served.epoch) return await aborted(signal);
          const otherCut = async () => {
            const now = await readAcceptedCut(log, chain.slug);
            return now !== null && now !== cut;
          };
          const read = (own: AbortSignal): Promise<void> =>
            this.session({ ...wanted, above }, served, cut, own).catch((error: unknown) => {
              if (!own.aborted) throw error;
            });
          await runUntilChanged(read, otherCut, signal);
          failures = 0;
        } catch (error) {
          if (signal.aborted) return;
          if (isFinal(error)) throw error;
          if (error instanceof EpochBrokenError) above = this.board.building?.epoch ?? above;
          this.board.buildFailed(error instanceof RpcError ? error.kind : 'server', (error as Error).message);
          await delay(Math.min(retryMs * 2 ** Math.min(failures++, 10), maxRetryMs), undefined, { signal }).catch(
            () => undefined,
          );
        }
      }
    } finally {
      this.board.wantBuild(null);
    }
  }

  private async session(
    wanted: WantedEpoch,
    served: Publisher,
    cut: number | null,
    signal: AbortSignal,
  ): Promise<void> {
    const { deps, board } = this;
    const { chain, log, dataDir, startHeight } = deps;
    const replacedStart = served.reference.startHeight;
    const from = wantedStart({ startHeight: startHeight ?? null }, replacedStart, cut);
    const observer: SourceObserver = {
      rpcRecovered: () => board.buildAdvanced(),
      rpcError: (kind, _endpoint, message) => board.buildFailed(kind, message),
    };
    const ofNodes = { nodesFile: nodesFile(dataDir, chain.slug) };
    const probe = this.families[chain.family]({ ...deps, ...ofNodes }, observer);
    const shared = { log, chain, steps: deps.steps ?? noSteps, maxAppendBytes: deps.maxAppendBytes ?? 4 * 1024 * 1024 };
    let epoch: number;
    try {
      const keeper = new EpochKeeper({ ...shared, observer: board.observer }, deps.foldVersion);
      epoch = await keeper.numberFor(wanted, served, probe, startHeight, cut);
    } finally {
      await probe.close();
    }
    const known = (await log.describe()).some(({ name }) => name === `blocks.${chain.slug}.e${epoch}`);
    const dir = known ? await sourceDir(dataDir, epoch) : ownSourceDir(dataDir, epoch);
    const source = this.families[chain.family]({ ...deps, ...ofNodes, dataDir: dir }, observer);
    const tailFile = new TailFile(dir, chain.slug);
    const keeper = new EpochKeeper({ ...shared, observer: board.observer, tailFile }, deps.foldVersion);
    try {
      const about = { reason: wanted.reason, replacedStart, cutAccepted: cut !== null };
      const publisher = await keeper.build(epoch, source, from, about, signal);
      try {
        board.watchBuild(publisher);
        for await (const items of source.follow(publisher, signal)) await publisher.publish(items);
      } finally {
        await publisher.close();
      }
    } finally {
      await source.close();
    }
  }
}
