import { forEachYielding } from '#libs/core/for-each-yielding.js';
import { type CountedTo, PackedCounts } from '#libs/pipeline/store/market/all-stats.js';
import { type ChainView, isEarlier, seesAllUpTo, type ViewPlace } from './chain-view.js';
import { LayeredMap } from './layered-map.js';

/** Counts of every traded token at a view of the tables. */
interface Kept extends CountedTo {
  /** Of the view that was read. */
  readonly place: ViewPlace;
  readonly counts: ReadonlyMap<string, PackedCounts>;
  /** What differs from `counts`. */
  readonly changed: ReadonlyMap<string, PackedCounts>;
}

/** Windows that went on by more are counted whole: as many trades came and left them then. */
const LONGEST_STEP_MS = 1_800_000;
/** Tokens that differ are copied with each step, all of them when these are more than this share. */
const MOST_CHANGED = 0.25;
const FEW_TOKENS = 1_000;

/**
 * Counts over windows that the tables give for every token, each time the ones before with what came and went since: what it costs follows
 * from that, not from the trades of a day. Invariant: what `allTokenStats` gives at the view. Where rows that were counted have been
 * taken back, at an earlier view and in other tables all are counted again.
 */
export class StoredStats {
  private kept: Kept | null = null;

  /** From these times on (Unix ms). */
  async read(view: ChainView, fromTimes: readonly number[]): Promise<LayeredMap<PackedCounts>> {
    const { kept } = this;
    const read =
      kept !== null && leadsTo(kept, view, fromTimes)
        ? await onward(kept, view, fromTimes)
        : await counts(view, fromTimes);
    // A view of earlier, or of an older block, is no reason to forget.
    const older = view.tables.asOfBlock !== undefined || (this.kept !== null && isEarlier(view.pin, this.kept.place));
    if (!older) this.kept = read;
    return LayeredMap.over(read.counts, read.changed);
  }
}

/** Whether the view sees all that was counted, and windows that begin later, though not much. */
function leadsTo(kept: Kept, view: ChainView, fromTimes: readonly number[]): boolean {
  return (
    seesAllUpTo(view, kept.place, kept.seq) &&
    view.tables.asOfBlock === undefined &&
    fromTimes.every((time, index) => inStep(time - kept.fromTimes[index]!))
  );
}

const inStep = (ms: number): boolean => ms >= 0 && ms <= LONGEST_STEP_MS;

async function counts(view: ChainView, fromTimes: readonly number[]): Promise<Kept> {
  return { ...placeOf(view, fromTimes), counts: await view.reads.allTokenStats(view.tables, fromTimes), changed: NONE };
}

async function onward(kept: Kept, view: ChainView, fromTimes: readonly number[]): Promise<Kept> {
  const steps = await view.reads.changedTokenStats(view.tables, kept, fromTimes);
  const changed = new Map(kept.changed);
  await forEachYielding(steps, ([token, step]) => {
    const known = changed.get(token) ?? kept.counts.get(token);
    changed.set(token, known === undefined ? step : PackedCounts.sum(known, step));
  });
  const next = { ...placeOf(view, fromTimes), counts: kept.counts, changed };
  return changed.size <= FEW_TOKENS + MOST_CHANGED * kept.counts.size ? next : { ...next, ...(await inOne(next)) };
}

/** Without tokens that no window has a trade of any more. */
async function inOne({ counts, changed }: Pick<Kept, 'counts' | 'changed'>): Promise<Pick<Kept, 'counts' | 'changed'>> {
  const all = new Map<string, PackedCounts>();
  await forEachYielding(counts, ([token, packed]) => {
    if (!changed.has(token)) all.set(token, packed);
  });
  await forEachYielding(changed, ([token, packed]) => {
    if (!packed.isEmpty) all.set(token, packed);
  });
  return { counts: all, changed: NONE };
}

const NONE: ReadonlyMap<string, PackedCounts> = new Map();

const placeOf = ({ pin, tables }: ChainView, fromTimes: readonly number[]) => ({
  place: pin,
  seq: tables.seq,
  fromTimes,
});
