// Breadth-first search over every state that a model can reach. The first violation found has a shortest trace.
// A model is { initial(bounds), next(state, rules, bounds), violation(state, rules), unfinished(state, rules) }:
// `next` answers [{ label, state, fault }], `unfinished` says what a state without any step but faults still owes.

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

export function explore(model, rules, bounds, limit = 4_000_000) {
  const seen = new Set();
  const queue = [];
  const origin = [];
  const add = (state, from, label) => {
    const key = JSON.stringify(state);
    if (seen.has(key)) return;
    seen.add(key);
    queue.push(key);
    origin.push({ from, label });
  };
  const trace = (index) => {
    const labels = [];
    for (let at = index; at >= 0; at = origin[at].from) labels.push(origin[at].label);
    return labels.reverse();
  };
  for (const state of model.initial(bounds))
    add(state, -1, state.history ? `history ${describe(state.history)}` : 'start');
  for (let index = 0; index < queue.length; index++) {
    const state = JSON.parse(queue[index]);
    queue[index] = null;
    const violation = model.violation(state, rules);
    if (violation) return { states: queue.length, violation, trace: trace(index) };
    const steps = model.next(state, rules, bounds);
    if (!steps.some((step) => !step.fault)) {
      const owed = model.unfinished(state, rules);
      if (owed) return { states: queue.length, violation: `stuck: ${owed}`, trace: trace(index) };
    }
    for (const { label, state: next } of steps) add(next, index, label);
    if (queue.length > limit) return { states: queue.length, violation: `more than ${limit} states`, trace: [] };
  }
  return { states: queue.length, violation: null, trace: [] };
}

/** A state is plain data: arrays, objects, numbers, texts. `structuredClone` takes several times as long. */
function copyOf(value) {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  const copy = {};
  for (const name in value) copy[name] = copyOf(value[name]);
  return copy;
}

/** Collects the steps of a state: each works on a copy of its own. */
export function stepsOf(state) {
  const steps = [];
  const step = (label, change, fault = false) => {
    const next = copyOf(state);
    change(next);
    steps.push({ label, state: next, fault });
  };
  return { steps, step, fault: (label, change) => step(label, change, true) };
}

// ---- histories: what a log of one epoch can say, within bounds. Group i of a history has seq i + 1.

/** All histories of a length: blocks, retractions to a height, finalizations. `deep` counts retractions below finality. */
export function histories({ length, retractions = 1, deep = 0 }) {
  const found = [];
  const extend = (groups, chain, sealed, id, retracted, below) => {
    if (groups.length === length) {
      found.push(groups);
      return;
    }
    const last = groups.at(-1)?.kind;
    extend(
      [...groups, { kind: 'block', height: chain.length + 1, id }],
      [...chain, id],
      sealed,
      id + 1,
      retracted,
      below,
    );
    if (last !== undefined && last !== 'retract' && retracted < retractions) {
      for (let to = chain.length - 1; to >= 0; to--) {
        const isDeep = to < sealed;
        if (isDeep && below >= deep) continue;
        const next = [...groups, { kind: 'retract', to }];
        extend(next, chain.slice(0, to), Math.min(sealed, to), id, retracted + 1, below + (isDeep ? 1 : 0));
      }
    }
    if (last !== undefined && last !== 'finalize') {
      for (let height = sealed + 1; height <= chain.length; height++) {
        extend([...groups, { kind: 'finalize', height }], chain, height, id, retracted, below);
      }
    }
  };
  extend([], [], 0, 1, 0, 0);
  return found;
}

/** Seqs of the blocks that survive after the first `count` groups, by height. */
export function survivors(history, count = history.length) {
  let seqs = [];
  for (let i = 0; i < count; i++) {
    if (history[i].kind === 'block') seqs.push(i + 1);
    else if (history[i].kind === 'retract') seqs = seqs.slice(0, history[i].to);
  }
  return seqs;
}

/** Ids of the surviving blocks, by height. */
export const chainOf = (history, count = history.length) => survivors(history, count).map((seq) => history[seq - 1].id);

/** Sealed height after the first `count` groups. */
export function sealedHeight(history, count = history.length) {
  let sealed = 0;
  for (let i = 0; i < count; i++) {
    if (history[i].kind === 'finalize') sealed = Math.max(sealed, history[i].height);
    else if (history[i].kind === 'retract') sealed = Math.min(sealed, history[i].to);
  }
  return sealed;
}

const WORDS = {
  block: (g) => `block ${g.id} at ${g.height}`,
  retract: (g) => `retract to ${g.to}`,
  finalize: (g) => `seal ${g.height}`,
};
const describe = (history) => history.map((group, i) => `${i + 1}: ${WORDS[group.kind](group)}`).join(', ');

/** A small replacement of a hash: different inputs give different numbers within these bounds. */
export const mix = (...values) => values.reduce((sum, value) => (sum * 31 + value + 1) % 1_000_003, 7);

export { same };
