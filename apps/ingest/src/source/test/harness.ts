import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eth } from '#libs/chain/catalogue/test/chain-specs.js';
import type { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import type { ServedChain } from '#libs/devkit/chain-builder/served-chain.js';
import { type FaultRpc, startFaultRpc } from '#libs/devkit/chain-faults/fault-rpc.js';
import type { FaultSettings } from '#libs/devkit/chain-faults/fault-settings.js';
import { testScale, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { buildingRecord, servedRecord } from '#libs/pipeline/epochs/served-epoch.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { blocksTopic } from '#libs/protocol/topics.js';
import { createSourceStage } from '../source-stage.js';
import type { SourceStageDeps } from '../source-stage-deps.js';
import type { SourceStage } from '../source-status.js';

export const seed = testSeed();
export const scale = testScale;

/** A stage that runs until it is stopped; its failure comes out of `stop`. */
export interface RunningStage {
  readonly stage: SourceStage;
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Temporary log, RPC servers and stages of one test, all gone after `close`. */
export class SourceHarness {
  private readonly stages: RunningStage[] = [];
  private readonly servers: FaultRpc[] = [];

  private constructor(
    readonly dir: string,
    readonly log: EventLog,
  ) {}

  static async open(): Promise<SourceHarness> {
    const dir = await mkdtemp(join(tmpdir(), 'tidepool-source-'));
    return new SourceHarness(dir, await openEmbeddedLog({ dir: join(dir, 'log') }));
  }

  async serve(chain: ChainBuilder | ServedChain, faults: Partial<FaultSettings> = {}): Promise<FaultRpc> {
    const server = await startFaultRpc({ chain, faults: { seed, ...faults } });
    this.servers.push(server);
    return server;
  }

  async serveOn(chain: ChainBuilder, port: number): Promise<FaultRpc> {
    const server = await startFaultRpc({ chain, port, faults: { seed } });
    this.servers.push(server);
    return server;
  }

  start(rpcUrls: string[], deps: Partial<SourceStageDeps> = {}): RunningStage {
    const stage = createSourceStage({
      log: this.log,
      chain: eth,
      rpcUrls,
      dataDir: this.dir,
      foldVersion: 7,
      startHeight: 0,
      retryMs: 5,
      maxRetryMs: 50,
      ...deps,
      options: {
        sampleBalances: false,
        ...deps.options,
        rpc: { timeoutMs: 2_000, coolDownMs: 20, maxCoolDownMs: 200, ...deps.options?.rpc },
        watch: { pollMs: 10, streamPollMs: 200, staleMs: 500, ...deps.options?.watch },
        history: { firstRange: 20, sampleEvery: 16, ...deps.options?.history },
      },
    });
    const abort = new AbortController();
    const ended = stage.run(abort.signal);
    ended.catch(() => undefined); // the failure is seen where the stage is stopped
    const running: RunningStage = {
      stage,
      ended,
      stop: () => {
        abort.abort();
        return ended;
      },
    };
    this.stages.push(running);
    return running;
  }

  /** As the upgrade does once another epoch has caught up. */
  async serveEpoch(epoch: number, foldVersion = 7): Promise<void> {
    const writer = await this.log.openWriter('upgrade.eth');
    await writer.append([servedRecord('eth', { epoch, foldVersion }), buildingRecord('eth', null)]);
    await writer.close();
  }

  /** Waits until an epoch that is not served yet holds the builder's head. */
  async built(running: RunningStage, epoch: number, chain: ChainBuilder): Promise<void> {
    await until(`the head in epoch ${epoch}`, async () => {
      await reached(running, ({ status }) => status().building?.epoch === epoch);
      const last = await this.log.lastGroup(blocksTopic('eth', epoch));
      return last !== null && (await lastHead(this, epoch, last.seq)) === chain.head.hash.slice(2);
    });
  }

  async groups(epoch = 1): Promise<BlocksGroup[]> {
    const groups: BlocksGroup[] = [];
    const signal = new AbortController().signal;
    const options = { fromSeq: 0, signal, untilEnd: true };
    for await (const batch of this.log.readGroups(blocksTopic('eth', epoch), options)) {
      for (const record of batch) groups.push(decodeBlocksGroup(record.value));
    }
    return groups;
  }

  async close(): Promise<void> {
    await Promise.all(this.stages.map((running) => running.stop().catch(() => undefined)));
    await Promise.all(this.servers.map((server) => server.close().catch(() => undefined)));
    await this.log.close();
    await rm(this.dir, { recursive: true, force: true });
  }
}

/** Waits until the stage has published the block with that height; fails when the stage ends before. */
export async function reached(running: RunningStage, done: (stage: SourceStage) => boolean): Promise<void> {
  let ended = false;
  const end = running.ended.finally(() => {
    ended = true;
  });
  end.catch(() => undefined);
  const look = async (): Promise<boolean> => {
    if (done(running.stage)) return true;
    if (!ended) return false;
    await running.ended;
    throw new Error('the stage ended');
  };
  await until(String(done), look, { howFar: () => running.stage.status() });
}

/** Waits until the log's head is the builder's head. */
export async function caughtUp(harness: SourceHarness, running: RunningStage, chain: ChainBuilder): Promise<void> {
  const topic = (): ReturnType<typeof blocksTopic> => blocksTopic('eth', running.stage.status().epoch ?? 1);
  await until('the head of the builder', async () => {
    await reached(running, (stage) => stage.status().head === chain.head.number);
    // The same height may still be the old branch: the head is right when the last block group names its hash.
    const last = await harness.log.lastGroup(topic());
    if (last === null) return false;
    return (await lastHead(harness, running.stage.status().epoch ?? 1, last.seq)) === chain.head.hash.slice(2);
  });
}

async function lastHead(harness: SourceHarness, epoch: number, seq: number): Promise<string | null> {
  const signal = new AbortController().signal;
  const fromSeq = Math.max(0, seq - 3);
  let head: string | null = null;
  for await (const batch of harness.log.readGroups(blocksTopic('eth', epoch), { fromSeq, signal, untilEnd: true })) {
    for (const record of batch) {
      const group = decodeBlocksGroup(record.value);
      if (group.kind === 'block' || group.kind === 'retract') head = group.hash;
    }
  }
  return head;
}
