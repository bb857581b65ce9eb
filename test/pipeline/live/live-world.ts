import { type LiveChannels, openLiveChannels } from '#apps/api/test/live-channels.js';
import { ProjectStage } from '#apps/ingest/src/project/project-stage.js';
import { SequencedWriter } from '#apps/ingest/src/sequenced-writer.js';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { Steps } from '#libs/core/steps.js';
import { HeapHome } from '#libs/devkit/testing/heap-home.js';
import type { RandomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { foldedIntervals, type Interval } from '#libs/pipeline/fold/candles.js';
import { foldSpaces } from '#libs/pipeline/fold/fold-spaces.js';
import { replayTables } from '#libs/pipeline/sink/replay.js';
import { SinkStage } from '#libs/pipeline/sink/sink-stage.js';
import type { Pointer } from '#libs/pipeline/store/market/pointer.js';
import { StoreError } from '#libs/pipeline/store/store-error.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { blocksTopic, factsTopic } from '#libs/protocol/topics.js';
import type { ChannelDefinition } from '#libs/serve/live/channel.js';
import { LiveHub, type LiveHubOptions } from '#libs/serve/live/live-hub.js';
import { type ChainReader, createChainReader } from '#libs/serve/reader/chain-reader.js';
import { MemoryLog } from '../memory-log.js';
import { type Process, Scheduler, settle } from '../scheduler.js';
import { EPOCH, FOLD, foldAll } from '../world-checks.js';
import type { Happened } from './happened.js';
import { ManualClock } from './manual-clock.js';
import { FactsChainTables, MemoryReads } from './memory-reads.js';
import { ModelClient } from './model-client.js';
import type { SubscriptionRequest } from './model-subscription.js';
import { RestAnswers } from './rest-answers.js';

export interface LiveWorldOptions {
  history: Pick<RandomHistory, 'groups' | 'reference'>;
  seed: number;
  happened: Happened;
  /** Also subscribe to the channels whose rows are read from views. */
  views?: boolean;
  /** Replaced parts, to see that what they leave out is needed. */
  hub?: new (
    options: LiveHubOptions,
  ) => LiveHub;
  channels?: (channel: ChannelDefinition) => ChannelDefinition;
  reader?: (reader: ChainReader) => ChainReader;
  /** Bytes of deltas that may wait for a snapshot; else one of two sizes by chance. */
  heldBytes?: number;
}

type Role = 'source' | 'project' | 'sink' | 'reader' | 'replay';

/**
 * The real fold, sink, reader, channels and hub over a log, tables and transports in memory. A seeded schedule decides what
 * runs next: a step of a stage, a read of the tables, some frames of a client; and who stops, disconnects or comes back.
 */
export class LiveWorld {
  readonly scheduler: Scheduler;
  readonly problems: string[] = [];
  private readonly log = new MemoryLog();
  private readonly tables: FactsChainTables;
  private readonly home = new HeapHome(foldSpaces);
  private readonly clock = new ManualClock();
  private readonly answers: RestAnswers;
  private readonly encoded: { seq: number; value: Uint8Array }[];
  private readonly tokens: Hex[];
  private readonly wallets: Hex[];
  private readonly clients: ModelClient[];
  private readonly running = new Map<Role, Process>();
  private readonly gates = new Set<{ open: () => void; fail: () => void }>();
  private readonly limits: LiveHubOptions['limits'];
  private readonly maxTailBytes: number;
  private readonly slug: string;
  private readonly chain: ChainSpec;
  private reader: ChainReader | null = null;
  private hub: LiveHub | null = null;
  private channels: LiveChannels | null = null;
  private generation = 1;
  private sinkRests = 0;
  private open = false;

  constructor(private readonly options: LiveWorldOptions) {
    const { history, seed } = options;
    const { token, symbol, decimals } = history.reference.coin;
    this.slug = history.groups[0]!.chain;
    this.chain = { ...chainSpec(this.slug)!, wrappedNative: { token, symbol, decimals } };
    this.scheduler = new Scheduler(seed);
    this.tables = new FactsChainTables(this.slug);
    const facts = foldAll(history.groups);
    this.answers = new RestAnswers(this.chain, facts);
    this.encoded = history.groups.map((group) => ({ seq: group.seq, value: encodeBlocksGroup(group) }));
    const traded = facts.flatMap((group) => (group.kind === 'block' ? group.trades : []));
    this.tokens = [...new Set(traded.flatMap(({ base, quote }) => [base, quote]))];
    const moved = facts.flatMap((group) => (group.kind === 'block' ? (group.balances ?? []) : []));
    // Two that trade and two whose balances change.
    const firstTwo = (rows: readonly { wallet: Hex }[]) => [...new Set(rows.map(({ wallet }) => wallet))].slice(0, 2);
    this.wallets = [...new Set([...firstTwo(traded), ...firstTwo(moved)])];
    const small = this.scheduler.chance(0.5);
    this.limits = {
      bufferBytes: small ? 4_000 : 60_000,
      heldBytes: options.heldBytes ?? (small ? 3_000 : 400_000),
      loads: 2,
      retryMs: 100,
    };
    this.maxTailBytes = this.scheduler.chance(0.4) ? 20_000 : 64 * 1024 * 1024;
    this.clients = Array.from({ length: 3 }, (_, index) => {
      const report = (problem: string) => this.problems.push(problem);
      return new ModelClient(`client ${index}`, this.answers, options.happened, report);
    });
  }

  /** Runs the history to its end and everything to rest; what went wrong is in `problems`. */
  async run(): Promise<void> {
    await this.tables.flipPointer({ generation: 1, epoch: EPOCH, foldVersion: FOLD, seq: -1 });
    for (const role of ['source', 'project', 'sink'] as const) this.start(role);
    this.startApi();
    const replayAt = this.scheduler.chance(0.4) ? 300 + this.scheduler.pick(800) : -1;
    for (let turn = 0; turn < 6_000 && this.problems.length === 0; turn++) {
      if (turn === replayAt) this.start('replay');
      await this.turn();
      if (turn > 1_500 && this.complete()) break;
    }
    if (this.problems.length === 0) await this.rest();
    await this.end();
  }

  private async turn(): Promise<void> {
    const { scheduler } = this;
    const roll = scheduler.pick(1_000);
    if (roll < 600) await scheduler.advance();
    else if (roll < 730) for (let reads = this.options.views ? 8 : 1; reads > 0; reads--) this.release();
    else if (roll < 930) await this.clientTurn();
    else if (roll < 970) this.reader!.checkNow();
    else if (roll < 985) this.clock.fire(1_000);
    else if (roll < 989) this.stopSink();
    else if (roll < 992) this.kill('project');
    else if (roll < 998) this.clock.fire();
    else if (roll < 999) this.restartApi();
    this.sinkRests--;
    if (this.sinkRests === 0) this.start('sink');
    this.restartEnded();
    this.followPointer();
  }

  private async clientTurn(): Promise<void> {
    const { scheduler } = this;
    const client = this.clients[scheduler.pick(this.clients.length)]!;
    const roll = scheduler.pick(100);
    if (!client.connected) {
      if (roll < 40) client.connect(this.hub!);
    } else if (roll < 60) await client.read(1 + scheduler.pick(12));
    else if (roll < 63) client.disconnect();
    else if (roll < 66 && client.subscriptions.size > 1) {
      client.unsubscribe([...client.subscriptions.keys()][scheduler.pick(client.subscriptions.size)]!);
    } else if (client.subscriptions.size < 6 && (this.reader!.status().ready || scheduler.chance(0.05))) {
      client.subscribe(this.anyRequest());
    }
  }

  private anyRequest(): SubscriptionRequest {
    const { scheduler } = this;
    // A few tokens only, so that subscriptions share keys.
    const token = this.tokens[scheduler.pick(Math.min(4, this.tokens.length))]!;
    if (this.options.views && scheduler.chance(0.8)) {
      const channels = this.chain.family === 'evm' ? viewChannels : viewChannels.filter((name) => name !== 'pairs');
      const channel = channels[scheduler.pick(channels.length + 2)];
      if (channel === 'prices') return { channel, tokens: [...new Set([token, this.tokens[0]!])] };
      if (channel !== undefined) return { channel, token };
      const wallet = this.wallets[scheduler.pick(this.wallets.length)]!;
      return { channel: 'wallet', wallet, balances: scheduler.chance(0.7) };
    }
    if (scheduler.chance(0.5)) return { channel: 'trades', token };
    const few: Interval[] = ['1s', '15s', '1m', '5m', '1h', '1M'];
    const interval = scheduler.chance(0.8)
      ? few[scheduler.pick(few.length)]!
      : foldedIntervals[scheduler.pick(foldedIntervals.length)]!;
    return { channel: 'candles', token, interval, currency: scheduler.chance(0.5) ? 'usd' : 'native' };
  }

  /** A read that waits looks at the tables now, or fails as a store does that is away. */
  private release(): void {
    const waiting = [...this.gates];
    const gate = waiting[this.scheduler.pick(waiting.length)];
    if (gate === undefined) return;
    this.gates.delete(gate);
    if (this.scheduler.chance(0.04)) gate.fail();
    else gate.open();
  }

  private stopSink(): void {
    if (this.sinkRests > 0) return;
    this.kill('sink', false);
    this.sinkRests = 50 + this.scheduler.pick(900);
  }

  private kill(role: Role, again = true): void {
    const process = this.running.get(role);
    if (process === undefined || process.at === null) return;
    this.scheduler.kill(process);
    this.running.delete(role);
    if (again) this.start(role);
  }

  private start(role: Role): void {
    const connection = this.log.connect();
    const spawned = this.scheduler.spawn(role, (steps, signal) => this.work(role, connection, steps, signal));
    this.running.set(role, spawned);
  }

  private work(role: Role, log: ReturnType<MemoryLog['connect']>, steps: Steps, signal: AbortSignal): Promise<void> {
    const common = { log, chain: this.slug, epoch: EPOCH, foldVersion: FOLD, steps };
    switch (role) {
      case 'source':
        return this.publish(steps, signal);
      case 'project':
        return new ProjectStage({ ...common, home: this.home, commits: { everyBlocks: 5 } }).run(signal);
      case 'sink': {
        const { generation } = this;
        const tables = this.tables.generation(generation);
        const maxGroups = 1 + this.scheduler.pick(12);
        const pace = { minIntervalMs: 0, maxGroups, sealEveryMs: 60_000 };
        return new SinkStage({ ...common, ...pace, tables, generation }).run(signal);
      }
      case 'replay':
        return replayTables({ log, tables: this.tables, chain: this.slug, steps, signal }).then(() => undefined);
      case 'reader': {
        const source = {
          pointer: () => this.tables.readPointer(),
          checkpoint: ({ generation }: Pointer) => this.tables.generation(generation).readCheckpoint(),
          reads: ({ generation }: Pointer) => {
            return MemoryReads.of(this.tables.generation(generation), (what) => this.gate(what));
          },
        };
        const { chain, maxTailBytes } = this;
        const boundaries: Steps = (name) => this.alone(name);
        const reader = createChainReader({ chain, log, source, steps: boundaries, maxTailBytes, pollMs: 3_600_000 });
        this.reader = reader;
        return reader.run(signal);
      }
    }
  }

  /** A boundary of a stage that waits at several at once: each continues by itself. */
  private alone(name: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.scheduler.spawn(name, async (park) => {
        await park(name);
        this.scheduler.forget(waiting);
        resolve();
      });
    });
  }

  private async publish(steps: Steps, signal: AbortSignal): Promise<void> {
    const writer = new SequencedWriter(this.log.connect(), 'source', blocksTopic(this.slug, EPOCH), steps, 'source');
    let next = (await writer.open()) + 1;
    while (next < this.encoded.length && !signal.aborted) {
      const count = 1 + this.scheduler.pick(3);
      await writer.append(this.encoded.slice(next, next + count).map((group) => ({ ...group, alsoAppend: [] })));
      next = writer.lastSeq + 1;
    }
  }

  private startApi(): void {
    this.start('reader');
    const reader = this.options.reader?.(this.reader!) ?? this.reader!;
    this.channels = openLiveChannels(new Map([[this.slug, reader]]), IDENTITY);
    const definitions = this.channels.definitions.map((channel) => this.options.channels?.(channel) ?? channel);
    const Hub = this.options.hub ?? LiveHub;
    const quiet = {
      info: () => undefined,
      warn: () => undefined,
    };
    const error = (fields: object, message: string) => {
      if (!('err' in fields && fields.err instanceof StoreError))
        this.problems.push(`${message}: ${String(Object.values(fields))}`);
    };
    this.hub = new Hub({ channels: definitions, limits: this.limits, clock: this.clock, logger: { ...quiet, error } });
  }

  /** The api as an instance of its own goes away and another comes: clients find their way by themselves. */
  private restartApi(): void {
    this.hub!.close();
    this.channels!.close();
    this.running.get('reader')!.stop();
    this.running.delete('reader');
    this.startApi();
  }

  private gate(what: string): Promise<void> {
    if (this.open) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.gates.add({
        open: resolve,
        fail: () => reject(new StoreError('store_failed', `${what}: the store is away`)),
      });
    });
  }

  private restartEnded(): void {
    for (const [role, process] of this.running) {
      if (process.ended === 'running' || process.ended === 'returned') continue;
      if (role === 'replay') this.start(role);
      else {
        this.problems.push(`${role}: ${process.ended.stack}`);
        this.running.delete(role);
      }
    }
  }

  /** As the live sink does: a flip moves it to the generation that is served now. */
  private followPointer(): void {
    const { generation } = this.tables.current!;
    if (generation === this.generation) return;
    this.generation = generation;
    this.count('flip');
    this.running.get('sink')?.stop();
    if (this.sinkRests <= 0) this.start('sink');
  }

  private complete(): boolean {
    const last = this.encoded.length - 1;
    return (this.log.topic(factsTopic(this.slug, EPOCH, FOLD).name).groups.at(-1)?.seq ?? -1) >= last;
  }

  /** Nothing fails any more and every client reads: then every client holds the newest state. */
  private async rest(): Promise<void> {
    if (this.sinkRests > 0) this.start('sink');
    this.open = true;
    for (const client of this.clients) if (!client.connected) client.connect(this.hub!);
    for (let round = 0; round < 60; round++) {
      for (const gate of this.gates) gate.open();
      this.gates.clear();
      this.restartEnded();
      this.followPointer();
      this.reader!.checkNow();
      await this.scheduler.drain();
      this.clock.fire(1_000);
      for (const client of this.clients) {
        while (client.unread > 0) await client.read(50);
        if (!client.connected) client.connect(this.hub!);
      }
      await settle();
      // What is due in longer times comes once, to clients that read.
      if (round === 30) for (let timers = this.clock.waiting; timers > 0; timers--) this.clock.fire();
    }
    if (this.problems.length > 0) return;
    const last = this.encoded.length - 1;
    const { seq } = this.reader!.status();
    if (seq !== last) this.problems.push(`the reader rests at seq ${seq} of ${last}: ${this.reader!.status().reason}`);
    else if (this.reader!.status().ready) await this.compareAll();
  }

  private async compareAll(): Promise<void> {
    const view = this.reader!.view();
    for (const client of this.clients) {
      for (const [id, subscription] of client.subscriptions) {
        const problem = await subscription.compareWith(view);
        this.count('compared at rest');
        if (problem !== null) this.problems.push(`${client.name} ${id} ${subscription.describe()}: ${problem}`);
      }
    }
  }

  private async end(): Promise<void> {
    this.open = true;
    for (const gate of this.gates) gate.open();
    this.hub!.close();
    this.channels!.close();
    const { keys, connections, subscriptions } = this.hub!.stats();
    if (keys + connections + subscriptions > 0) this.problems.push(`left behind: ${keys} keys`);
    for (const process of this.scheduler.living) process.stop();
    await this.scheduler.drain();
  }

  private count(what: string): void {
    const { happened } = this.options;
    happened[what] = (happened[what] ?? 0) + 1;
  }
}

const IDENTITY = new Uint8Array(32).fill(7);
const viewChannels = ['token', 'pairs', 'holders', 'traders', 'prices'] as const;
