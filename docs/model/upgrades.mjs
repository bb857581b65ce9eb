// Decision 16: another version of the facts is built next to the served one; the flip alone changes what is served.
import { stepsOf } from './explore.mjs';

/**
 * Two versions of the program over one log of blocks. Each folds into facts and tables of its own; a stored row names the
 * version that wrote it. Programs are exchanged and killed at any time.
 */
export const upgrades = {
  initial: ({ blocks, exchanges, kills }) => [
    {
      blocks,
      log: 1,
      program: 1,
      running: true,
      facts: { 1: [], 2: [] },
      tables: { 1: 0, 2: 0 },
      builds: { 1: 1, 2: 0 },
      pointer: 1,
      record: 1,
      flip: null,
      reader: 0,
      exchanges,
      kills,
    },
  ],
  next(state, rules) {
    const { steps, step, fault } = stepsOf(state);
    const { program: own, pointer, record } = state;
    if (state.log < state.blocks) step('the log grows', (s) => s.log++);
    if (state.exchanges > 0) {
      fault(`program ${3 - own} is installed`, (s) => {
        s.exchanges--;
        s.program = 3 - own;
        s.running = false;
      });
    }
    if (!state.running) {
      step(`program ${own} starts`, (s) => {
        s.running = true;
        if (s.flip !== null) {
          // The pointer row says whether the flip took place.
          if (rules.pointerDecides ? s.pointer === s.flip : true) s.record = s.flip;
          s.flip = null;
        }
        if (s.record === own) return;
        if (s.builds[own] === 0 || !rules.continueBuilt) {
          s.builds[own]++;
          s.facts[own] = [];
          s.tables[own] = 0;
        }
      });
      return steps;
    }
    if (state.kills > 0) {
      fault('everything is killed', (s) => {
        s.kills--;
        s.running = false;
      });
    }
    // The served version is continued by its own program alone.
    const writes = rules.ownFactsOnly ? own : record;
    if (state.facts[writes].length < state.log) {
      step(`program ${own} folds into facts ${writes}`, (s) => s.facts[writes].push(own));
    }
    if (state.tables[writes] < state.facts[writes].length) {
      step(`tables ${writes} take the next facts`, (s) => s.tables[writes]++);
    }
    if (state.tables[pointer] < state.facts[pointer].length && pointer !== writes) {
      step(`the served tables ${pointer} finish what facts hold`, (s) => s.tables[pointer]++);
    }
    if (pointer === record && pointer !== own && state.flip === null) {
      const ready =
        !rules.asFarForward || state.tables[own] >= Math.max(state.tables[pointer], state.facts[pointer].length);
      if (ready) step(`a flip to ${own} is announced`, (s) => (s.flip = own));
    }
    if (state.flip === own && pointer !== own) step('the pointer flips', (s) => (s.pointer = own));
    if (state.flip === own && pointer === own) {
      step('the flip is concluded', (s) => {
        s.record = own;
        s.flip = null;
      });
    }
    if (state.reader !== state.tables[pointer]) step('a reader looks', (s) => look(s));
    return steps;
  },
  violation({ facts, builds, reader, tables, pointer, record, flip }) {
    for (const version of [1, 2]) {
      const other = facts[version].find((by) => by !== version);
      if (other !== undefined) return `facts ${version} hold what program ${other} folded`;
      if (builds[version] > 1) return `version ${version} is built again although it was there`;
    }
    if (reader > tables[pointer]) return `readers go back from block ${reader} to ${tables[pointer]}`;
    if (flip === null && pointer !== record) return `the tables of ${pointer} are served, routers follow ${record}`;
    return null;
  },
  unfinished: ({ program, pointer, record, tables, log }) =>
    pointer !== program || record !== program || tables[pointer] < log
      ? `version ${program} is not served to the end`
      : null,
};

const look = (s) => {
  s.reader = s.tables[s.pointer];
};
