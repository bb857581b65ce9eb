import { takenBack } from '#libs/pipeline/store/market/view.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import type { SeededRandom } from '../seeded-random.js';
import { randomMarket } from './market-harness.js';
import { takeView, written } from './written-market.js';

/** A view that a reader comes to, with what sets it apart from the one before. */
export interface WalkedView {
  readonly view: ChainView;
  /** A view of before, as for a further page of a list. */
  readonly earlier: boolean;
  /** The tables have the same rows as before. */
  readonly sameTables: boolean;
  /** Blocks that the tables had were taken back since. */
  readonly takenBack: boolean;
}

interface WalkOptions {
  readonly blockTimes: readonly number[];
  /** Short steps, and many blocks that are taken back. */
  readonly near: boolean;
}

const VIEWS = 7;
/** Blocks between two views at most, of one write, and in all. Short steps meet most of the blocks that are taken back. */
const FAR = { step: 20, write: 30, most: 150 };
const NEAR = { step: 3, write: 2, most: 40 };

/** Views of a random history as a reader comes to them: mostly forward, with the tables as they are then, sometimes back. */
export async function* walkedViews(
  store: AnalyticsStore,
  random: SeededRandom,
  run: number,
  { blockTimes, near }: WalkOptions,
): AsyncGenerator<WalkedView> {
  const family = random.pick(['evm', 'solana'] as const);
  const retractions = near ? 0.2 : random.pick([0, 0.05, 0.2]);
  const { step, write, most } = near ? NEAR : random.pick([FAR, NEAR]);
  const groups = random.int(20, most);
  const market = randomMarket(random.seed, { family, groups, retractions, blockTime: random.pick(blockTimes) });
  const { checkpoints, reads } = await written(store, market, run, random, write);
  const last = market.facts.length - 1;
  let [position, before] = [random.int(0, last >> 1), -1];
  for (let round = 0; round < VIEWS; round++) {
    const earlier = random.chance(0.1);
    if (!earlier) {
      const next = random.int(position, Math.min(last, position + step));
      // Often with all blocks in the tables, so that some of theirs are taken back later.
      const whole = checkpoints.findLast(({ seq }) => seq > position && seq <= position + step);
      position = whole !== undefined && random.chance(0.5) ? whole.seq : next;
    }
    const at = earlier ? random.int(0, position) : position;
    const base = checkpoints.findLast(({ seq }) => seq <= at);
    const view = base && takeView(market, base, reads, at);
    if (!view) continue;
    const { seq } = view.tables;
    yield {
      view,
      earlier,
      sameTables: !earlier && seq === before,
      takenBack: !earlier && takenBack(view.tables, before),
    };
    if (!earlier) before = seq;
  }
}

/** The same view; of each read that is called its name and what it is asked for. */
export function noting(view: ChainView, asked: unknown[][]): ChainView {
  const reads = new Proxy(view.reads, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        asked.push([String(name), ...args]);
        return value.apply(target, args);
      };
    },
  });
  return { ...view, reads };
}
