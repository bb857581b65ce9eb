// Rules 6 and 7: two logs that are flushed apart, power loss, a restored backup; the numbering of facts and fold versions.
import { chainOf, histories, same, stepsOf } from './explore.mjs';

/** Rule 6. A seq in a log identifies a group's content: after a loss the chain may have another block there. */
export const flushing = {
  initial: ({ blocks, losses, restores }) => [
    { blocks: [], flushed: 0, facts: [], factsFlushed: 0, nextId: 1, fold: 'off', length: blocks, losses, restores },
  ],
  next(state, rules) {
    const { steps, step, fault } = stepsOf(state);
    const { blocks, facts } = state;
    if (blocks.length < state.length) {
      step(`the source appends seq ${blocks.length + 1} as #${state.nextId}`, (s) => s.blocks.push(s.nextId++));
    }
    if (state.flushed < blocks.length) step('blocks are flushed', (s) => (s.flushed = s.blocks.length));
    if (state.factsFlushed < facts.length) step('facts are flushed', (s) => (s.factsFlushed = s.facts.length));
    if (state.fold === 'off') {
      step('the fold starts', (s) => {
        const differs = s.facts.some((id, index) => s.blocks[index] !== id);
        s.fold = rules.compareInputHash && differs ? 'stopped' : 'on';
      });
    }
    const readable = rules.readOnlyFlushed ? state.flushed : blocks.length;
    if (state.fold === 'on' && facts.length < readable)
      step(`the fold writes facts seq ${facts.length + 1}`, (s) => s.facts.push(s.blocks[s.facts.length]));
    if (state.losses > 0) {
      fault('the power is lost', (s) => {
        s.losses--;
        s.blocks.length = s.flushed;
        s.facts.length = s.factsFlushed;
        s.fold = 'off';
      });
    }
    if (state.restores > 0 && state.flushed > 0) {
      fault('blocks are restored from an older backup', (s) => {
        s.restores--;
        s.blocks.length = --s.flushed;
        s.fold = 'off';
        s.restored = true;
      });
    }
    return steps;
  },
  violation({ fold, facts, blocks, restored }) {
    if (fold === 'stopped' && !restored) return 'the fold stops although nobody touched the logs';
    const index = facts.findIndex((id, at) => at < blocks.length && blocks[at] !== id);
    return fold === 'on' && index !== -1
      ? `facts seq ${index + 1} was folded from #${facts[index]}, blocks have #${blocks[index]}, and nobody notices`
      : null;
  },
  unfinished: ({ fold, facts, blocks }) => (fold === 'on' && facts.length < blocks.length ? 'facts are behind' : null),
};

/** What a consumer makes of facts: blocks in order, a retraction takes back what has its seq or a later one. */
function consumed(facts) {
  let seen = [];
  for (const { seq, group } of facts) {
    if (group.kind === 'block') seen.push({ seq, id: group.id });
    else if (group.kind === 'retract') seen = seen.filter((block) => block.seq < group.fromSeq);
  }
  return seen.map(({ id }) => id);
}

/** Seq of the first block that a retraction takes back. */
function fromSeqOf(history, count) {
  const { to } = history[count - 1];
  const alive = [];
  for (let seq = 1; seq < count; seq++) {
    const group = history[seq - 1];
    if (group.kind === 'block') alive.push(seq);
    else if (group.kind === 'retract') alive.length = group.to;
  }
  return alive[to];
}

/** Rule 7. A fold that may be killed, or replaced by one of the next version, writes what consumers follow. */
export const numbering = {
  initial: ({ length, kills, upgrades }) =>
    histories({ length, retractions: 1, deep: 0 }).map((history) => ({
      history,
      topics: [[], []],
      version: 1,
      position: null,
      kills,
      upgrades,
    })),
  next(state, rules) {
    const { steps, step, fault } = stepsOf(state);
    const topicOf = (s) => s.topics[rules.versionInEpoch ? s.version - 1 : 0];
    if (state.position === null) {
      step(`fold version ${state.version} starts after its last facts`, (s) => {
        s.position = topicOf(s).at(-1)?.seq ?? 0;
      });
      return steps;
    }
    if (state.kills > 0) {
      fault('the fold is killed', (s) => {
        s.kills--;
        s.position = null;
      });
    }
    if (state.upgrades > 0) {
      fault('the next version of the fold is installed', (s) => {
        s.upgrades--;
        s.version++;
        s.position = null;
      });
    }
    if (state.position < state.history.length) {
      step(`the fold takes seq ${state.position + 1}`, (s) => {
        const group = s.history[s.position++];
        const topic = topicOf(s);
        const says = group.kind === 'retract' ? { ...group, fromSeq: fromSeqOf(s.history, s.position) } : group;
        // Without the rule only groups that say something are written, under numbers of their own.
        if (rules.oneGroupEach) topic.push({ seq: s.position, version: s.version, group: says });
        else if (group.kind !== 'finalize') topic.push({ seq: topic.length + 1, version: s.version, group: says });
      });
    }
    return steps;
  },
  violation({ history, topics, position, version }, rules) {
    for (const topic of topics) {
      if (new Set(topic.map((facts) => facts.version)).size > 1) return 'facts of two fold versions in one topic';
    }
    const topic = topics[rules.versionInEpoch ? version - 1 : 0];
    if (position === null || position === 0) return null;
    const [seen, expected] = [consumed(topic), chainOf(history, position)];
    return same(seen, expected)
      ? null
      : `after seq ${position} consumers hold blocks ${seen.join(' ') || 'none'}, the chain is ${expected.join(' ') || 'empty'}`;
  },
  unfinished: ({ position, history }) => (position !== null && position < history.length ? 'facts are behind' : null),
};
