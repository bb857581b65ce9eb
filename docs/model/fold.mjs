// Rules 8-11: the fold, its snapshots and its key-value state, kills, retractions below finality.
// A block changes one of two keys; the hot state depends on the key's value. Facts must equal the fold of the survivors.
import { histories, mix, stepsOf, survivors } from './explore.mjs';

const EMPTY = { hot: 1, keys: [1, 1] };

function folded({ hot, keys }, id) {
  const next = [...keys];
  next[id % 2] = mix(next[id % 2], id);
  return { hot: mix(hot, next[id % 2], id), keys: next };
}

/** What facts must say after `count` groups. */
const expected = (history, count) =>
  survivors(history, count).reduce((state, seq) => folded(state, history[seq - 1].id), EMPTY).hot;

export const fold = {
  initial: ({ length, kills, retractions = 2, deep = 2 }) =>
    histories({ length, retractions, deep }).map((history) => ({
      history,
      facts: [],
      snapshots: [{ seq: 0, height: 0, ...EMPTY }],
      store: { seq: 0, keys: [1, 1] },
      memory: null,
      kills,
      restores: 0,
    })),
  next(state, rules) {
    const { steps, step, fault } = stepsOf(state);
    const { history, memory } = state;
    /** `refoldUntil`: seq of the retraction that forced a restore; up to it nothing is finalized (rule 10). */
    const load = (s, snapshot, refoldUntil) => {
      const keys = rules.storeTravelsWithSnapshot ? snapshot.keys : s.store.keys;
      const base = { seq: snapshot.seq, hot: snapshot.hot, keys };
      s.memory = { position: snapshot.seq, base: snapshot.height, states: [base], refoldUntil, saving: null };
    };
    if (memory === null) {
      step(`the fold starts from the snapshot at seq ${state.snapshots.at(-1).seq}`, (s) =>
        load(s, s.snapshots.at(-1), 0),
      );
      return steps;
    }
    if (state.kills > 0) {
      fault('the fold is killed', (s) => {
        s.kills--;
        s.memory = null;
      });
    }
    if (memory.saving) {
      const { stored, ...snapshot } = memory.saving;
      step(stored ? 'the snapshot is written' : 'the key-value state is written', (s) => {
        if (!stored) {
          s.store = { seq: snapshot.seq, keys: snapshot.keys };
          s.memory.saving.stored = true;
          return;
        }
        s.snapshots.push(snapshot);
        // Three are kept: the ladder always has genesis among them; the newest three alone do not reach back.
        while (s.snapshots.length > 3) s.snapshots.splice(rules.ladderKeepsGenesis ? 1 : 0, 1);
        s.memory.saving = null;
      });
      return steps;
    }
    if (memory.position >= history.length) return steps;
    const seq = memory.position + 1;
    const group = history[seq - 1];
    step(`the fold takes seq ${seq}`, (s) => take(s, group, seq, rules, load));
    return steps;
  },
  violation(state) {
    if (state.lost) return state.lost;
    if (state.restores > 6)
      return 'it restores, meets the same finalization and the same retraction, and restores again';
    const count = state.facts.length;
    if (count > 0 && state.facts[count - 1] !== expected(state.history, count))
      return `facts at seq ${count} are not the fold of the survivors`;
    return null;
  },
  unfinished: (state) => (state.facts.length < state.history.length ? 'facts are behind' : null),
};

function take(s, group, seq, rules, load) {
  const memory = s.memory;
  if (group.kind === 'block') memory.states.push({ seq, ...folded(memory.states.at(-1), group.id) });
  if (group.kind === 'retract') {
    if (group.to < memory.base) {
      restore(s, group, seq, rules, load);
      return;
    }
    memory.states = memory.states.slice(0, group.to - memory.base + 1);
  }
  memory.position = seq;
  const mayFinalize = !(rules.noFinalizeWhileRefolding && memory.refoldUntil > seq);
  if (
    group.kind === 'finalize' &&
    mayFinalize &&
    group.height > memory.base &&
    group.height - memory.base < memory.states.length
  ) {
    const state = memory.states[group.height - memory.base];
    memory.saving = {
      stored: false,
      seq: rules.snapshotOfSurvivor ? state.seq : seq,
      height: group.height,
      hot: state.hot,
      keys: state.keys,
    };
    memory.states = memory.states.slice(group.height - memory.base);
    memory.base = group.height;
  }
  if (seq > s.facts.length) s.facts.push(memory.states.at(-1).hot);
}

/** A retraction below the oldest state in memory: the newest older snapshot that is on the surviving chain. */
function restore(s, group, seq, rules, load) {
  s.restores++;
  const alive = survivors(s.history, seq);
  const usable = s.snapshots.filter(
    ({ height, seq: at }) => height <= group.to && at < seq && (height === 0 || alive[height - 1] === at),
  );
  const candidates = rules.snapshotOfSurvivor
    ? usable
    : s.snapshots.filter(({ height, seq: at }) => height <= group.to && at < seq);
  if (candidates.length === 0) {
    s.lost = `no snapshot at or below height ${group.to}`;
    return;
  }
  const snapshot = candidates.at(-1);
  s.snapshots = s.snapshots.filter(({ seq: at }) => at <= snapshot.seq);
  load(s, snapshot, seq);
}
