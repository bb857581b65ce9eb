// Rules 12 and 13: a log that is truncated under consumers that lag; a router that starts from compacted pool states.
import { histories, sealedHeight, stepsOf, survivors } from './explore.mjs';

/** Rule 12. A block is one seq here; snapshots are taken at sealed blocks, a sink reads behind. */
export const truncation = {
  initial: ({ blocks }) => [
    {
      length: blocks,
      head: 0,
      sealed: 0,
      snapshots: [0],
      cut: 0,
      sink: 0,
      retractions: 1,
      cuts: 1,
      fold: 'on',
      epoch: 1,
    },
  ],
  next(state, rules) {
    const { steps, step, fault } = stepsOf(state);
    const { head, sealed, cut, sink, fold } = state;
    if (fold === 'ended') {
      step('a new epoch is built from the chain', (s) =>
        Object.assign(s, { epoch: 2, fold: 'on', head: 1, sealed: 0, cut: 0, sink: 0, snapshots: [0] }),
      );
      return steps;
    }
    if (fold !== 'on') return steps;
    if (head < state.length) step(`block ${head + 1} is appended and folded`, (s) => s.head++);
    if (sealed < head) {
      step(`block ${sealed + 1} is sealed, with a snapshot`, (s) => s.snapshots.push(++s.sealed));
    }
    if (sink < head && sink >= cut) step(`the sink writes checkpoint ${sink + 1}`, (s) => s.sink++);
    if (state.cuts > 0) {
      const highest = rules.cutBelowConsumers ? Math.min(sealed, sink) : sealed;
      if (highest > cut) {
        fault(`the log is cut: it begins after ${highest}`, (s) => {
          s.cuts--;
          s.cut = highest;
          s.snapshots = s.snapshots.filter((seq) => seq >= highest);
        });
      }
    }
    for (let to = 0; state.retractions > 0 && to < sealed; to++) {
      fault(`a retraction to ${to}, below what is sealed`, (s) => {
        s.retractions--;
        if (s.snapshots.some((seq) => seq <= to)) {
          Object.assign(s, { head: to, sealed: to, sink: Math.min(s.sink, to) });
          s.snapshots = s.snapshots.filter((seq) => seq <= to);
        } else s.fold = rules.newEpochBelowSnapshots ? 'ended' : 'stuck';
      });
    }
    return steps;
  },
  violation: ({ fold, cut }) =>
    fold === 'stuck'
      ? `no snapshot reaches below the retraction, and the log begins after ${cut}: it cannot be folded`
      : null,
  unfinished: ({ sink, head, cut }) =>
    sink < head && cut > sink ? `the sink is at ${sink} and the log begins after ${cut}` : null,
};

const BLOCKS_OF = (pool, id) => id % 2 === pool;

/** Id of the last surviving block that touched a pool; 0 for none. */
const poolValue = (history, count, pool) =>
  survivors(history, count)
    .map((seq) => history[seq - 1].id)
    .filter((id) => BLOCKS_OF(pool, id))
    .at(-1) ?? 0;

/**
 * Rule 13. The fold publishes the state of sealed blocks to a compacted topic of two pools; a router reads that to its end,
 * then facts. It knows of each pool the seq at which it learned it.
 */
export const router = {
  initial: ({ length, deep }) =>
    histories({ length, retractions: 1, deep }).map((history) => ({
      history,
      folded: 0,
      compacted: [null, null],
      pending: [],
      router: null,
    })),
  next(state, rules) {
    const { steps, step } = stepsOf(state);
    const { history, folded, pending } = state;
    if (pending.length > 0) {
      const [{ pool, value, seq }] = pending;
      step(`pool ${pool} is published as of seq ${seq}`, (s) => {
        s.pending.shift();
        s.compacted[pool] = { value, seq };
      });
    } else if (folded < history.length) {
      step(`the fold takes seq ${folded + 1}`, (s) => fold(s, rules));
    }
    if (state.router === null) {
      step('a router reads the compacted states to their end', (s) => {
        const pools = s.compacted.map((entry) => entry ?? { value: 0, seq: 0 });
        const highest = Math.max(...pools.map(({ seq }) => seq));
        const position = rules.startInclusive ? Math.max(0, highest - 1) : highest;
        s.router = { pools, position, highest, undo: [] };
      });
    } else if (state.router.position < folded) {
      step(`the router applies seq ${state.router.position + 1}`, (s) => route(s, rules));
    }
    return steps;
  },
  violation({ history, router: own }) {
    if (own === null || own.position < own.highest || own.position === 0) return null;
    for (const pool of [0, 1]) {
      const expected = poolValue(history, own.position, pool);
      if (own.pools[pool].value !== expected)
        return `the router at seq ${own.position} holds pool ${pool} as of block ${own.pools[pool].value}, the chain as of ${expected}`;
    }
    return null;
  },
  unfinished: ({ router: own, folded }) => (own !== null && own.position < folded ? 'the router is behind' : null),
};

function fold(s, rules) {
  const seq = ++s.folded;
  const group = s.history[seq - 1];
  const sealedBefore = sealedHeight(s.history, seq - 1);
  if (group.kind === 'finalize') {
    for (const at of survivors(s.history, seq).slice(sealedBefore, group.height)) {
      const { id } = s.history[at - 1];
      s.pending.push({ pool: id % 2, value: id, seq: at });
    }
  }
  if (rules.compactedToo && group.kind === 'retract' && group.to < sealedBefore) {
    for (const pool of [0, 1]) s.pending.push({ pool, value: poolValue(s.history, seq, pool), seq });
  }
}

function route(s, rules) {
  const own = s.router;
  const seq = ++own.position;
  const group = s.history[seq - 1];
  const set = (pool, value) => {
    if (seq > own.pools[pool].seq) own.pools[pool] = { value, seq };
  };
  if (group.kind === 'block') {
    own.undo.push({ height: group.height, pool: group.id % 2, before: own.pools[group.id % 2], seq });
    set(group.id % 2, group.id);
  }
  if (group.kind !== 'retract') return;
  if (rules.absoluteRetractions) {
    for (const pool of [0, 1]) set(pool, poolValue(s.history, seq, pool));
    return;
  }
  // Without restored states a router can only go back over what it applied itself.
  while (own.undo.length > 0 && own.undo.at(-1).height > group.to) {
    const { pool, before, seq: at } = own.undo.pop();
    if (own.pools[pool].seq === at) own.pools[pool] = before;
  }
}
