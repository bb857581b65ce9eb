// Rules 20 and 21: what a reader joins of tables and tail, replay into a new generation, the switch of an epoch.
import { histories, same, stepsOf, survivors } from './explore.mjs';

/** Blocks visible at `position` from the tables up to a checkpoint and the groups after it; null when one is missing. */
function joined(history, checkpoint, tailSeqs, position) {
  let seqs = survivors(history, checkpoint);
  for (let seq = checkpoint + 1; seq <= position; seq++) {
    if (!tailSeqs.includes(seq)) return null;
    const group = history[seq - 1];
    if (group.kind === 'block') seqs = [...seqs, seq];
    else if (group.kind === 'retract') seqs = seqs.slice(0, group.to);
  }
  return seqs;
}

/** Rule 20. A sink moves the checkpoint, a reader follows facts and keeps a tail, an answer is put together from both. */
export const tail = {
  initial: ({ length, deep }) =>
    histories({ length, retractions: 1, deep }).map((history) => ({
      history,
      checkpoint: 0,
      adopted: 0,
      position: 0,
      tail: [],
      answer: null,
      answers: 2,
    })),
  next(state, rules) {
    const { steps, step } = stepsOf(state);
    const trim = (s) => {
      // "At finality" keeps what is above the sealed height only, wherever the checkpoint is.
      const sealed = s.history
        .slice(0, s.position)
        .reduce(
          (at, group) =>
            group.kind === 'finalize' ? group.height : group.kind === 'retract' ? Math.min(at, group.to) : at,
          0,
        );
      const bound = rules.trimAtCheckpoint ? s.adopted : (survivors(s.history, s.position)[sealed - 1] ?? 0);
      s.tail = s.tail.filter((seq) => seq > bound);
    };
    for (let by = 1; by <= 2 && state.checkpoint + by <= state.history.length; by++) {
      step(`the sink writes checkpoint ${state.checkpoint + by}`, (s) => (s.checkpoint += by));
    }
    if (state.position < state.history.length) {
      step(`the reader takes seq ${state.position + 1}`, (s) => {
        s.tail.push(++s.position);
        trim(s);
      });
    }
    if (state.adopted < state.checkpoint && (!rules.adoptOnlyBehind || state.checkpoint <= state.position)) {
      step(`the reader adopts checkpoint ${state.checkpoint}`, (s) => {
        s.adopted = s.checkpoint;
        trim(s);
      });
    }
    const take = (s) => Object.assign(s.answer, { tail: s.tail, position: s.position, taken: true });
    if (state.answer === null && state.answers > 0) {
      // In one turn checkpoint and tail are those the reader has adopted; otherwise the checkpoint is asked of the store
      // and the tail is taken when the answer comes.
      step(`a request begins`, (s) => {
        s.answers--;
        s.answer = { checkpoint: rules.oneTurn ? s.adopted : s.checkpoint, taken: false };
        if (rules.oneTurn) take(s);
      });
    }
    if (state.answer && !state.answer.taken) step('the request takes the tail', take);
    if (state.answer?.taken) step('the request is answered', (s) => (s.answer = null));
    return steps;
  },
  violation({ history, adopted, tail: seqs, position, answer }) {
    const joins = (checkpoint, held, at, who) => {
      if (checkpoint > at) return `${who}: tables at ${checkpoint} are ahead of the tail, which ends at ${at}`;
      const seen = joined(history, checkpoint, held, at);
      if (seen === null)
        return `${who}: tables at ${checkpoint} and a tail of ${held.join(' ') || 'nothing'} do not reach ${at}`;
      return same(seen, survivors(history, at)) ? null : `${who}: shows other blocks than the chain at ${at}`;
    };
    const kept = joins(adopted, seqs, position, 'reader');
    if (kept || !answer?.taken) return kept;
    return joins(answer.checkpoint, answer.tail, answer.position, 'request');
  },
  unfinished: (state) =>
    state.position < state.history.length || state.adopted < state.checkpoint ? 'the reader is behind' : null,
};

/** Rule 21. A replay fills generation 1 while the live sink writes generation 0; then readers are switched over. */
export const replay = {
  initial: ({ length }) => [
    {
      length,
      log: 1,
      generations: [0, 1].map(() => ({ tables: [[], []], checkpoint: 0 })),
      sinks: [0, 1].map(() => ({ at: 'idle', position: 0 })),
      pointer: 0,
      exchanged: 0,
      liveStopped: false,
      reader: { checkpoint: 0, pointer: 0, tail: [], position: 0 },
    },
  ],
  next(state, rules) {
    const { steps, step } = stepsOf(state);
    if (state.log < state.length) step('the log grows', (s) => s.log++);
    state.sinks.forEach((sink, own) => {
      if ((own === 0 && state.liveStopped) || (own === 1 && !rules.onePointer && state.exchanged > 0)) return;
      const name = own === 0 ? 'the live sink' : 'the replay';
      // Without a pointer the two exchange their tables by name, one after the other.
      const target = (s, part) => s.generations[!rules.onePointer && part < s.exchanged ? 1 - own : own];
      if (sink.at === 'idle' && sink.position < state.log) {
        step(`${name} inserts up to ${state.log} into the first table`, (s) => {
          const mine = s.sinks[own];
          mine.until = s.log;
          for (let seq = mine.position + 1; seq <= mine.until; seq++) target(s, 0).tables[0].push(seq);
          mine.at = 'second';
        });
      }
      if (sink.at === 'second') {
        step(`${name} inserts up to ${sink.until} into the second table`, (s) => {
          for (let seq = sink.position + 1; seq <= sink.until; seq++) target(s, 1).tables[1].push(seq);
          s.sinks[own].at = 'checkpoint';
        });
      }
      if (sink.at === 'checkpoint') {
        step(`${name} writes checkpoint ${sink.until}`, (s) => {
          const generation = target(s, 2);
          generation.checkpoint = Math.max(generation.checkpoint, sink.until);
          s.sinks[own] = { at: 'idle', position: sink.until };
        });
      }
    });
    const rebuilt = state.sinks[1];
    if (rules.onePointer) {
      const ahead = !rules.flipOnlyWhenAhead || state.generations[1].checkpoint >= state.generations[0].checkpoint;
      if (state.pointer === 0 && rebuilt.at === 'idle' && rebuilt.position > 0 && ahead)
        step('the pointer flips', (s) => (s.pointer = 1));
      if (state.pointer === 1 && !state.liveStopped) step('the old sink stops', (s) => (s.liveStopped = true));
    } else if (
      rebuilt.at === 'idle' &&
      state.exchanged < 3 &&
      (state.exchanged > 0 || rebuilt.position === state.log)
    ) {
      step(
        `${['the first tables', 'the second tables', 'the checkpoints'][state.exchanged]} are exchanged`,
        (s) => s.exchanged++,
      );
    }
    const { reader } = state;
    if (reader.position < state.log)
      step(`the reader takes seq ${reader.position + 1}`, (s) => s.reader.tail.push(++s.reader.position));
    const { checkpoint } = served(state, rules);
    if ((reader.checkpoint !== checkpoint || reader.pointer !== state.pointer) && checkpoint <= reader.position) {
      step(`the reader adopts checkpoint ${checkpoint} of generation ${state.pointer}`, (s) => {
        Object.assign(s.reader, { checkpoint, pointer: s.pointer });
        s.reader.tail = s.reader.tail.filter((seq) => seq > checkpoint);
      });
    }
    return steps;
  },
  violation(state, rules) {
    const { tables, checkpoint } = served(state, rules);
    const expected = Array.from({ length: checkpoint }, (_, i) => i + 1);
    for (const [index, table] of tables.entries()) {
      const visible = table.filter((seq) => seq <= checkpoint).sort((a, b) => a - b);
      if (!same(visible, expected))
        return `at checkpoint ${checkpoint} table ${index + 1} shows blocks ${visible.join(' ') || 'none'}`;
    }
    const { reader } = state;
    for (let seq = reader.checkpoint + 1; seq <= reader.position; seq++) {
      if (!reader.tail.includes(seq))
        return `the checkpoint went back to ${reader.checkpoint}, and the tail no longer holds ${seq}`;
    }
    return null;
  },
  unfinished: (state, rules) =>
    served(state, rules).checkpoint < state.log ? 'the served tables stay behind the log' : null,
};

function served({ generations, pointer, exchanged }, { onePointer }) {
  if (onePointer) return generations[pointer];
  const [first, second, third] = [0, 1, 2].map((part) => generations[part < exchanged ? 1 : 0]);
  return { tables: [first.tables[0], second.tables[1]], checkpoint: third.checkpoint };
}

/** Rule 21, epochs: the same height has another seq in epoch 2 (two records more), so a number alone says nothing. */
export const epochSwitch = {
  initial: ({ heights }) => [
    {
      heights,
      height: 2,
      built: 0,
      store: { epoch: 1, checkpoint: 0 },
      reader: { tailEpoch: 1, position: 0, tableEpoch: 1, checkpoint: 0 },
    },
  ],
  next(state, rules) {
    const { steps, step } = stepsOf(state);
    const { store, reader } = state;
    const top = (epoch) => (epoch === 1 ? state.height : state.built + 2);
    if (state.height < state.heights) step('the chain grows', (s) => s.height++);
    if (state.built < state.height) step(`epoch 2 is built to height ${state.built + 1}`, (s) => s.built++);
    if (store.checkpoint < top(store.epoch)) step('the sink moves its checkpoint', (s) => s.store.checkpoint++);
    if (store.epoch === 1 && state.built >= state.height) {
      step('the pointer flips to epoch 2', (s) => (s.store = { epoch: 2, checkpoint: 2 + s.built }));
    }
    if (reader.position < top(reader.tailEpoch))
      step(`the reader takes seq ${reader.position + 1} of epoch ${reader.tailEpoch}`, (s) => s.reader.position++);
    const together = (s) => {
      const { checkpoint } = s.store;
      s.reader = { tailEpoch: 2, position: checkpoint, tableEpoch: 2, checkpoint };
    };
    if (store.epoch === 2 && rules.switchTogether && reader.tailEpoch === 1)
      step('the reader switches tables and tail in one turn', together);
    if (store.epoch === 2 && !rules.switchTogether) {
      if (reader.tableEpoch === 1)
        step('the reader switches its tables', (s) =>
          Object.assign(s.reader, { tableEpoch: 2, checkpoint: s.store.checkpoint }),
        );
      if (reader.tailEpoch === 1)
        step('the reader switches its tail', (s) =>
          Object.assign(s.reader, { tailEpoch: 2, position: s.store.checkpoint }),
        );
    }
    const mayAdopt =
      reader.tableEpoch === store.epoch && reader.checkpoint < store.checkpoint && store.checkpoint <= reader.position;
    if (mayAdopt)
      step(`the reader adopts checkpoint ${store.checkpoint}`, (s) => (s.reader.checkpoint = s.store.checkpoint));
    return steps;
  },
  violation({ reader: { tailEpoch, position, tableEpoch, checkpoint } }) {
    const height = (epoch, seq) => (epoch === 1 ? seq : seq - 2);
    if (checkpoint > position || tailEpoch === tableEpoch) return null;
    const tables = height(tableEpoch, checkpoint);
    const follows = height(tailEpoch, checkpoint);
    return tables === follows
      ? null
      : `tables end at height ${tables}, the tail goes on from ${follows + 1}: rows are ${tables > follows ? 'doubled' : 'missing'}`;
  },
  unfinished: ({ store, reader }) =>
    store.epoch === 2 && reader.tailEpoch === 1 ? 'the reader stays on epoch 1' : null,
};
