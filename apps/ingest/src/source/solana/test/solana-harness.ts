import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sol } from '#libs/chain/catalogue/test/chain-specs.js';
import type { SourceObserver } from '#libs/chain/chains/source-port.js';
import { decodeBase58 } from '#libs/core/base58.js';
import { noSteps } from '#libs/core/steps.js';
import {
  type LocalSolana,
  type LocalSolanaOptions,
  startLocalSolana,
} from '#libs/devkit/devnet/solana/local-solana.js';
import { testScale, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { blocksTopic } from '#libs/protocol/topics.js';
import { EpochKeeper } from '../../epoch-keeper.js';
import type { Publisher } from '../../publisher.js';
import { survivors } from '../../test/log-checks.js';
import type { SolanaSourceOverrides } from '../options.js';
import { SolanaSource } from '../solana-source.js';
import { FaultProxy, type ProxyFaults } from './fault-proxy.js';
import { RecordingDecoding } from './recording-decoding.js';

export const seed = testSeed();
export const scale = testScale;

/** What a node holds of a block, as the tests compare it. */
interface ServedBlock {
  blockhash: string;
  parentSlot: number;
  blockTime: number;
  transactions: { transaction: { signatures: string[] } }[];
}

/** A source that publishes into a real log until it is stopped; an infrastructure failure starts it over. */
export class RunningSource {
  readonly seen: string[] = [];
  restarts = 0;
  publisher: Publisher | null = null;
  private readonly abort = new AbortController();
  private readonly ended: Promise<void>;

  constructor(
    readonly source: SolanaSource,
    open: (observer: SourceObserver) => EpochKeeper,
    start: number | undefined,
    readonly observer: SourceObserver,
    readonly lies: readonly string[],
    readonly decoding: RecordingDecoding,
  ) {
    this.ended = this.run(open, start);
    this.ended.catch(() => undefined);
  }

  get head(): number {
    return this.publisher?.head.height ?? -1;
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.ended;
    await this.source.close();
  }

  private async run(open: (observer: SourceObserver) => EpochKeeper, start: number | undefined): Promise<void> {
    const { signal } = this.abort;
    while (!signal.aborted) {
      try {
        const { publisher } = await open(this.observer).open(this.source, start, signal);
        this.publisher = publisher;
        try {
          for await (const items of this.source.follow(publisher, signal)) await publisher.publish(items);
        } finally {
          await publisher.close();
        }
      } catch (error) {
        if (signal.aborted) return;
        const { code, name } = error as { code?: string; name: string };
        if (!/^(rpc_|epoch)/.test(code ?? '')) throw error;
        this.seen.push(code ?? name);
        this.restarts++;
        await delay(20);
      }
    }
  }
}

/** Temporary log, local chain, proxies and sources of one test, all gone after `close`. */
export class SolanaHarness {
  private readonly sources: RunningSource[] = [];
  private readonly proxies: FaultProxy[] = [];

  private constructor(
    private readonly dir: string,
    readonly log: EventLog,
    readonly chain: LocalSolana,
  ) {}

  static async open(options: LocalSolanaOptions = {}): Promise<SolanaHarness> {
    const dir = await mkdtemp(join(tmpdir(), 'tidepool-solana-source-'));
    const log = await openEmbeddedLog({ dir: join(dir, 'log') });
    return new SolanaHarness(dir, log, await startLocalSolana({ seed, ...options }));
  }

  /** So many blocks, each with some transactions. */
  grow(blocks: number, transactions = 1): void {
    for (let n = 0; n < blocks; n++) {
      for (let k = 0; k < transactions; k++) this.chain.airdrop(this.chain.faucet, BigInt(1 + k));
      this.chain.slot();
    }
  }

  async proxy(faults: Partial<ProxyFaults> = {}): Promise<FaultProxy> {
    const proxy = await FaultProxy.start(this.chain, seed, faults);
    this.proxies.push(proxy);
    return proxy;
  }

  start(
    rpcUrls: readonly string[],
    options: SolanaSourceOverrides & { from?: number; decoding?: RecordingDecoding } = {},
    observer: SourceObserver = {},
  ): RunningSource {
    const { from = 0, decoding = new RecordingDecoding(), ...overrides } = options;
    const lies: string[] = [];
    const listening: SourceObserver = { ...observer, distrusted: (reason) => void lies.push(reason) };
    const source = new SolanaSource({
      ...{ chain: sol, rpcUrls, observer: listening, decoding },
      options: {
        ...overrides,
        rpc: { timeoutMs: 2_000, coolDownMs: 20, maxCoolDownMs: 100, ...overrides.rpc },
        watch: { pollMs: 10, streamPollMs: 100, staleMs: 500, ...overrides.watch },
        run: { slotsPerList: 50, parallel: 4, maxBatch: 5, ...overrides.run },
        checks: { behindMs: 10, ...overrides.checks },
      },
    });
    const keeper = (own: SourceObserver): EpochKeeper =>
      new EpochKeeper({ log: this.log, chain: sol, steps: noSteps, observer: own, maxAppendBytes: 100_000 }, 1);
    const running = new RunningSource(source, keeper, from, listening, lies, decoding);
    this.sources.push(running);
    return running;
  }

  async groups(epoch = 1): Promise<BlocksGroup[]> {
    const groups: BlocksGroup[] = [];
    const options = { fromSeq: 0, signal: new AbortController().signal, untilEnd: true };
    // Before the source has begun there is no topic.
    await this.log.ensureTopics([blocksTopic('sol', epoch)]);
    for await (const batch of this.log.readGroups(blocksTopic('sol', epoch), options)) {
      for (const record of batch) groups.push(decodeBlocksGroup(record.value));
    }
    return groups;
  }

  async ask<T>(method: string, ...params: unknown[]): Promise<T> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = (await (await fetch(this.chain.rpcUrl, { method: 'POST', body })).json()) as { result: T };
    return answer.result;
  }

  /** Waits until the log ends with the confirmed block of the chain. */
  async caughtUp(running: RunningSource): Promise<void> {
    const config = { commitment: 'confirmed', transactionDetails: 'none', rewards: false };
    const slot = await this.ask<number>('getSlot', config);
    const { blockhash } = await this.ask<ServedBlock>('getBlock', slot, config);
    const wanted = hexOf(blockhash);
    await until('the confirmed block', () => running.publisher?.head.hash === wanted);
  }

  /** What survives in the log is exactly the confirmed chain, block by block with every transaction. */
  async expectLog(from = 0, epoch = 1): Promise<BlocksGroup[]> {
    const groups = await this.groups(epoch);
    const config = { commitment: 'confirmed', maxSupportedTransactionVersion: 1, rewards: false };
    const tip = await this.ask<number>('getSlot', config);
    const slots = await this.ask<number[]>('getBlocks', from, tip, config);
    const expected: string[] = [];
    for (const slot of slots) {
      const block = await this.ask<ServedBlock>('getBlock', slot, config);
      const signatures = block.transactions.map(({ transaction }) => hexOf(transaction.signatures[0]!));
      expected.push(`${slot} ${hexOf(block.blockhash)} ${block.blockTime * 1000} ${signatures.join(' ')}`);
    }
    const found = survivors(groups).map(({ height, hash, time, txs }) => {
      return `${height} ${hash} ${time} ${txs.map(({ id }) => id).join(' ')}`;
    });
    expect(found).toEqual(expected);
    return groups;
  }

  async close(): Promise<void> {
    await Promise.all(this.sources.map((running) => running.stop().catch(() => undefined)));
    await Promise.all(this.proxies.map((proxy) => proxy.close()));
    await this.chain.stop();
    await this.log.close();
    await rm(this.dir, { recursive: true, force: true });
  }
}

const hexOf = (text: string): string => {
  const bytes = decodeBase58(text);
  if (bytes === null) throw new Error(`${text} is no base58`);
  return Buffer.from(bytes).toString('hex');
};
