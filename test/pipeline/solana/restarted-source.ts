import type { FaultProxy } from '#apps/ingest/src/source/solana/test/fault-proxy.js';
import { createSourceStage } from '#apps/ingest/src/source/source-stage.js';
import type { SourceStage } from '#apps/ingest/src/source/source-status.js';
import { sol } from '#libs/chain/catalogue/test/chain-specs.js';
import type { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { until } from '#libs/devkit/testing/until.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { foldVersion } from '#libs/pipeline/fold/fold-version.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { blocksTopic } from '#libs/protocol/topics.js';
import { EPOCH } from '../real-pipeline.js';
import { confirmedHead } from './chain-truth.js';

/** The real source stage over one log; stopped and started again at will, as a process that is restarted. */
export class RestartedSource {
  private stage!: SourceStage;
  private abort = new AbortController();
  private ended: Promise<void> = Promise.resolve();
  private failure: unknown = null;

  constructor(
    private readonly log: EventLog,
    private readonly dataDir: string,
    private readonly urls: readonly string[],
  ) {}

  start(): void {
    this.abort = new AbortController();
    this.stage = createSourceStage({
      ...{ log: this.log, chain: sol, rpcUrls: this.urls, startHeight: 0, dataDir: this.dataDir, foldVersion },
      ...{ retryMs: 5, maxRetryMs: 50, maxAppendBytes: 100_000 },
      solanaOptions: {
        ...{ historyThreshold: 20, historyMargin: 10 },
        rpc: { timeoutMs: 5_000, coolDownMs: 20, maxCoolDownMs: 100 },
        watch: { pollMs: 10, streamPollMs: 100, staleMs: 500 },
        run: { slotsPerList: 50, parallel: 4, maxBatch: 5 },
      },
    });
    this.ended = this.stage.run(this.abort.signal).catch((error: unknown) => {
      this.failure = error;
    });
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.ended;
    this.check();
  }

  async restart(): Promise<void> {
    await this.stop();
    this.start();
  }

  check(): void {
    if (this.failure !== null) throw this.failure;
  }

  get sealed(): number {
    return this.stage.status().sealed ?? -1;
  }

  /** Waits until the log ends with the confirmed block of the chain. */
  async caughtUp(chainUrl: string): Promise<void> {
    const wanted = await confirmedHead(chainUrl);
    await until('the confirmed block', () => {
      this.check();
      return this.stage.status().headHash === wanted;
    });
  }
}

/** The faults between a source and a node, drawn again each time. */
export function drawFaults(random: SeededRandom, { faults }: FaultProxy): void {
  const rate = (most: number): number => (random.chance(0.5) ? 0 : random.next() * most);
  Object.assign(faults, {
    ...{ rateLimitRate: rate(0.1), serverErrorRate: rate(0.05), behindRate: rate(0.05), dropRate: rate(0.08) },
    ...{ delayRate: rate(0.2), missingRate: rate(0.04), staleTipRate: rate(0.2), dropPushRate: rate(0.5) },
    ...{ lagSlots: random.chance(0.2) ? random.between(1, 3) : 0, hideBlocks: random.chance(0.4) },
  });
}

export async function groupsOf(log: EventLog): Promise<BlocksGroup[]> {
  const groups: BlocksGroup[] = [];
  const options = { fromSeq: 0, signal: new AbortController().signal, untilEnd: true };
  for await (const batch of log.readGroups(blocksTopic('sol', EPOCH), options)) {
    for (const { value } of batch) groups.push(decodeBlocksGroup(value));
  }
  return groups;
}
