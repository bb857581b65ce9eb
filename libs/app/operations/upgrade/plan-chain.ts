import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  epochToBuild,
  foldsAgain,
  type OwnVersion,
  wantedEpoch,
  wantedStart,
} from '#libs/pipeline/epochs/next-epoch.js';
import {
  type BuildKind,
  type FactsVersion,
  readAcceptedCut,
  readBuildRate,
  readEndedEpoch,
  readEpochRecords,
  type ServedEpoch,
  versionName,
} from '#libs/pipeline/epochs/served-epoch.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { foldHomeIn, oldSnapshotsDir } from '#libs/pipeline/fold/fold-home.js';
import { checkpointOf, plannedGeneration } from '#libs/pipeline/sink/generation-to-build.js';
import { storeTables } from '#libs/pipeline/sink/sink-tables.js';
import { sourceDir } from '#libs/pipeline/state/saved/source-dir.js';
import { TailFile } from '#libs/pipeline/state/saved/tail-file.js';
import { marketDatabase } from '#libs/pipeline/store/market/market-tables.js';
import type { Pointer } from '#libs/pipeline/store/market/pointer.js';
import { type TableSize, tableNames, tableSizes } from '#libs/pipeline/store/market/table-sizes.js';
import { pendingMigrations } from '#libs/pipeline/store/migrate.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { StoreError } from '#libs/pipeline/store/store-error.js';
import type { ReferenceSet } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { blocksTopic, epochsTopic, factsTopic, ingestStatusTopic, poolsTopic } from '#libs/protocol/topics.js';
import { decodeIngestStatus, type IngestStatus, STATUS_STALE_MS } from '#libs/serve/contract/ingest-status.js';
import { LogSizes } from './log-sizes.js';
import {
  ASSUMED_FOLD_BYTES,
  ASSUMED_NODE_BYTES,
  type ChainPlan,
  type PlanStep,
  type ServedState,
} from './upgrade-plan.js';

export interface PlanDeps {
  log: EventLog;
  store: AnalyticsStore;
  /** State of the fold and files of the source; another machine's are not seen. */
  stateDir: string;
  now?: () => number;
}

/** What a program of this version would build of one chain. Invariant: it reads, and writes nothing. */
export async function planChain(
  deps: PlanDeps,
  chain: string,
  own: OwnVersion,
  /** Those that the version fills. */
  tables: readonly string[],
): Promise<ChainPlan> {
  const sizes = await LogSizes.of(deps.log);
  const nothing: ChainPlan = { chain, served: null, steps: [], migrations: [], notes: [] };
  if (!sizes.has(epochsTopic)) return nothing;
  const records = await readEpochRecords(deps.log, chain);
  if (records.served === null) return nothing;
  return new ChainPlanner(deps, chain, own, tables, sizes, records.served).plan();
}

class ChainPlanner {
  private readonly notes: string[] = [];
  private pointer: Pointer | null = null;
  private sizesOfTables: TableSize[] = [];
  private known: string[] = [];

  constructor(
    private readonly deps: PlanDeps,
    private readonly chain: string,
    private readonly own: OwnVersion,
    private readonly tables: readonly string[],
    private readonly sizes: LogSizes,
    private readonly served: ServedEpoch,
  ) {}

  async plan(): Promise<ChainPlan> {
    const { chain, own, served, deps } = this;
    const { store, log } = deps;
    this.pointer = await storeTables(store, chain).readPointer();
    const { pointer } = this;
    if (pointer !== null) {
      this.sizesOfTables = await tableSizes(store, chain, pointer.generation);
      this.known = await tableNames(store, chain, pointer.generation);
    }
    const migrations = pointer === null ? [] : await this.migrations(pointer);
    const blocks = blocksTopic(chain, served.epoch);
    const range = this.sizes.range(blocks);
    const reference = await this.reference();
    if (range === null || reference === null) {
      this.notes.push(`${blocks.name} does not begin with its epoch: what it was decoded by is not known here`);
      return { chain, served: null, steps: [], migrations, notes: this.notes };
    }
    const last = await log.lastGroup(blocks);
    const state: ServedState = {
      ...{ epoch: served.epoch, foldVersion: served.foldVersion, generation: pointer?.generation ?? null },
      decoderVersion: reference.decoderVersion,
      ...{ startHeight: reference.startHeight, height: last === null ? -1 : decodeBlocksGroup(last.value).height },
    };
    const wanted = wantedEpoch(own, { ...served, reference, firstSeq: range.first }, await readEndedEpoch(log, chain));
    const cut = await readAcceptedCut(log, chain);
    const next =
      wanted === null ? null : { epoch: await epochToBuild(log, chain, own, { ...served, reference }, wanted, cut) };
    const steps: PlanStep[] = [];
    if (foldsAgain(served, own.foldVersion, next)) {
      const kept = await this.stateBytes({ epoch: served.epoch, foldVersion: own.foldVersion });
      if (range.first === 0 || (kept ?? 0) > 0) steps.push(await this.refold(state, range));
      else this.notes.push(`${blocks.name} is cut: fold version ${own.foldVersion} needs a new epoch`);
    }
    if (own.decoderVersion > reference.decoderVersion) {
      this.notes.push('the new epoch has wraps of the coin and logs of markets to come: these need no further epoch');
    }
    if (wanted !== null) {
      const start = wantedStart(own, reference.startHeight, cut);
      const about = { reason: wanted.reason, staysFresh: wanted.continues, startHeight: start, acceptedCut: cut };
      steps.push(await this.nextEpoch(state, next!, about, steps[0] ?? null, range));
    }
    return { chain, served: state, steps, migrations, notes: this.notes };
  }

  private async migrations({ generation }: Pointer): Promise<string[]> {
    try {
      return await pendingMigrations(this.deps.store, marketDatabase(this.chain, generation));
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'schema_too_new') throw error;
      this.notes.push(
        `generation ${generation} was made by a newer version; this one builds or continues its own tables`,
      );
      return [];
    }
  }

  /** What the served blocks were decoded by: their first group, or the source's own note of it where that is cut off. */
  private async reference(): Promise<ReferenceSet | null> {
    const { deps, chain, served } = this;
    const topic = blocksTopic(chain, served.epoch);
    const first = this.sizes.has(topic) ? await deps.log.firstGroup(topic) : null;
    const group = first && decodeBlocksGroup(first.value);
    if (group?.kind === 'epoch') return group.reference;
    const dir = await sourceDir(join(deps.stateDir, 'source', chain), served.epoch);
    return (await new TailFile(dir, chain).load(served.epoch))?.reference ?? null;
  }

  private async refold(served: ServedState, range: { first: number; last: number }): Promise<PlanStep> {
    const { chain, own } = this;
    const to = { epoch: served.epoch, foldVersion: own.foldVersion };
    const topic = blocksTopic(chain, served.epoch);
    const groups = range.last + 1;
    const built = await this.target(to, 0);
    const groupsLeft = Math.max(0, range.last - built.seq);
    const blocks = (await this.sizes.bytes(topic)) ?? 0;
    return {
      ...{ kind: 'facts', reason: `fold version ${own.foldVersion} instead of ${served.foldVersion}` },
      ...{ from: served, to: { ...to, generation: built.generation }, topic: topic.name },
      ...{ startHeight: served.startHeight, endHeight: served.height, groups, groupsLeft },
      ...{ wishedStart: served.startHeight, ...this.filled(), bytes: await this.bytes(served, false) },
      ...(await this.time('facts', to, groupsLeft, (blocks * groupsLeft) / groups, ASSUMED_FOLD_BYTES, 'groups')),
      ...{ staysFresh: false, acceptedCut: null },
    };
  }

  private async nextEpoch(
    served: ServedState,
    { epoch }: { epoch: number },
    about: Pick<PlanStep, 'reason' | 'staysFresh' | 'startHeight' | 'acceptedCut'>,
    before: PlanStep | null,
    range: { first: number; last: number },
  ): Promise<PlanStep> {
    const { chain, own } = this;
    const to = { epoch, foldVersion: own.foldVersion };
    const built = await this.target(to, before?.to.generation ?? 0);
    const endHeight = Math.max(served.height, about.startHeight);
    const heights = endHeight - about.startHeight + 1;
    const heightsLeft = Math.min(heights, Math.max(0, endHeight - Math.max(built.height, about.startHeight - 1)));
    const share = heights / Math.max(heights, served.height - served.startHeight + 1);
    const groups = Math.round((range.last - range.first + 1) * share);
    const bytes = await this.bytes(served, true);
    const scaled = (size: number | null) => (size === null ? null : Math.round(size * share));
    const blocks = (await this.sizes.bytes(blocksTopic(chain, served.epoch))) ?? 0;
    const left = (blocks * share * heightsLeft) / heights;
    return {
      ...{ kind: 'epoch', reason: about.reason, topic: null, startHeight: about.startHeight, endHeight },
      ...{ from: before?.to ?? served, to: { ...to, generation: built.generation } },
      ...{ groups, groupsLeft: Math.round((groups * heightsLeft) / heights) },
      ...{ wishedStart: wantedStart(own, served.startHeight, null), ...this.filled() },
      bytes: { log: scaled(bytes.log), tables: scaled(bytes.tables), state: bytes.state },
      ...(await this.time('epoch', to, heightsLeft, left, ASSUMED_NODE_BYTES, 'blocks')),
      ...{ staysFresh: about.staysFresh, acceptedCut: about.acceptedCut },
    };
  }

  /** The generation that a version goes into, and how far an earlier build of it came. */
  private async target(to: FactsVersion, above: number): Promise<{ generation: number; seq: number; height: number }> {
    const { deps, chain, pointer } = this;
    const none = { seq: -1, height: -1 };
    if (pointer === null) return { generation: above + 1, ...none };
    const tables = storeTables(deps.store, chain);
    const generation = await plannedGeneration({ log: deps.log, tables, chain }, to, pointer);
    const own = tables.generation(generation);
    const checkpoint = (await own.exists()) ? await checkpointOf(own) : null;
    if (checkpoint !== null) return { generation, seq: checkpoint.seq, height: checkpoint.height };
    return { generation: Math.max(generation, above + 1), ...none };
  }

  private filled(): Pick<PlanStep, 'tables' | 'newTables'> {
    const newTables = this.tables.filter((table) => this.known.length > 0 && !this.known.includes(table));
    return { tables: [...this.tables], newTables };
  }

  /** What the served version takes. */
  private async bytes(served: ServedState, withBlocks: boolean): Promise<PlanStep['bytes']> {
    const { chain, sizes } = this;
    const { epoch, foldVersion } = served;
    const topics = [factsTopic(chain, epoch, foldVersion), poolsTopic(chain, epoch, foldVersion)];
    if (withBlocks) topics.push(blocksTopic(chain, epoch));
    let log: number | null = 0;
    for (const topic of topics) {
      const size: number | null = await sizes.bytes(topic);
      log = log === null || size === null ? null : log + size;
    }
    const tables = this.pointer === null ? null : this.sizesOfTables.reduce((sum, { bytes }) => sum + bytes, 0);
    return { log, tables, state: await this.stateBytes(served) };
  }

  private async stateBytes({ epoch, foldVersion }: FactsVersion): Promise<number | null> {
    const place = { chain: this.chain, epoch, foldVersion };
    const state = await folderBytes(foldHomeIn(this.deps.stateDir, place).dir);
    const old = await folderBytes(oldSnapshotsDir(this.deps.stateDir, place));
    return state === null && old === null ? null : (state ?? 0) + (old ?? 0);
  }

  private async time(
    kind: BuildKind,
    to: FactsVersion,
    units: number,
    bytes: number,
    assumed: number,
    unit: string,
  ): Promise<Pick<PlanStep, 'seconds' | 'timeFrom'>> {
    const running = await this.runningBuild(to);
    if (running?.etaSeconds != null) {
      const words = `the build that runs now is at ${running.percent} %`;
      return { seconds: running.etaSeconds, timeFrom: { how: 'running', words } };
    }
    const rate = await readBuildRate(this.deps.log, this.chain, kind);
    if (rate !== null) {
      const speed = Math.round(rate.perSecond).toLocaleString('en-US');
      const words = `measured at the last such build: ${speed} ${unit} a second`;
      return { seconds: Math.ceil(units / rate.perSecond), timeFrom: { how: 'measured', words } };
    }
    const by = kind === 'facts' ? 'on two cores, embedded log and tables' : 'a remote node may be slower';
    const words = `assumed: ${assumed / 1_000_000} MB of blocks a second (${by})`;
    return { seconds: Math.ceil(bytes / assumed), timeFrom: { how: 'assumed', words } };
  }

  private async runningBuild(to: FactsVersion): Promise<IngestStatus['building'] | null> {
    const { deps, chain, sizes } = this;
    if (!sizes.has(ingestStatusTopic)) return null;
    const value = (await deps.log.readCompacted(ingestStatusTopic)).get(chain);
    const status = value === undefined ? null : decodeIngestStatus(value);
    const isFresh = status !== null && (deps.now ?? Date.now)() - status.at <= STATUS_STALE_MS;
    const building = isFresh && status.state !== 'stopped' ? (status.building ?? null) : null;
    return building?.version === versionName(to) ? building : null;
  }
}

/** Null where the folder is not there. */
async function folderBytes(dir: string): Promise<number | null> {
  try {
    let sum = 0;
    for (const entry of await readdir(dir, { withFileTypes: true, recursive: true })) {
      if (entry.isFile()) sum += (await stat(join(entry.parentPath, entry.name))).size;
    }
    return sum;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
