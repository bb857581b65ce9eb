// Rules 14-19: a sink with intents, two tables, one checkpoint row, sealed buckets and purge; kills, a zombie, evicted
// deduplication tokens, retractions below finality, a reader that pinned a view. What a reader sees at a checkpoint
// must be what the surviving chain alone gives.
import { chainOf, histories, mix, same, sealedHeight, stepsOf, survivors } from './explore.mjs';

/** A bucket is one height here; blocks with an even id have no trades, so that a bucket can be empty: then it is 0. */
const bucketValue = (chain, bucket) => (chain[bucket - 1] % 2 === 1 ? mix(chain[bucket - 1]) : 0);

const NOTHING = { seq: 0, step: 0, sealed: 0, sealSeq: 0, state: 'live', deep: 0 };

/** What readers take as the checkpoint: the newest whole row, or (rule off) the greatest of each column. */
function checkpointOf(state, rules) {
  const [older, newer] = state.rows;
  if (newer === undefined) return older ?? NOTHING;
  if (rules.wholeCheckpointRow) return newer;
  return { ...newer, sealed: Math.max(older.sealed, newer.sealed), sealSeq: Math.max(older.sealSeq, newer.sealSeq) };
}

function writeRow(s, row, rules) {
  const current = checkpointOf(s, rules);
  if (row.seq < current.seq) return; // a row that is older by (seq, step) never wins
  s.rows = [current, { ...row, step: row.seq === current.seq ? current.step + 1 : 0 }];
}

/** Seqs that retractions up to `seq` made invisible, with the retraction's own seq. */
function retracted(history, seq) {
  const gone = [];
  for (let at = 1; at <= seq; at++) {
    const group = history[at - 1];
    if (group.kind === 'retract')
      for (const block of survivors(history, at - 1).slice(group.to)) gone.push({ block, by: at });
  }
  return gone;
}

/** Lowest height that a retraction in from..to went below finality to; null when none did. */
function deepest(history, from, to) {
  const heights = [];
  for (let seq = from; seq <= to; seq++) {
    const group = history[seq - 1];
    if (group.kind === 'retract' && group.to < sealedHeight(history, seq - 1)) heights.push(group.to);
  }
  return heights.length > 0 ? Math.min(...heights) : null;
}

/** Appends a version of a bucket; without versions the row replaces what was there. Stamped (seq, 0 rebuild or 1 seal). */
function putSeal(s, rules, bucket, seq, step, value) {
  const at = seq * 2 + step;
  if (!rules.versionedSeals) s.seals = s.seals.filter((row) => row.bucket !== bucket);
  else if (s.seals.some((row) => same(row, { bucket, at, value }))) return;
  s.seals.push({ bucket, at, value });
  s.seals.sort((a, b) => a.bucket - b.bucket || a.at - b.at);
}

const sealValue = (seals, rules, bucket, sealSeq) =>
  seals.filter((row) => row.bucket === bucket && (!rules.versionedSeals || row.at <= sealSeq)).at(-1)?.value ?? 0;

export const sink = {
  initial: ({ length, kills, torn = 0, zombies = 0, evictions = 0, deep = 0, pins = 0, purges = 0 }) =>
    histories({ length, retractions: 1, deep }).map((history) => ({
      history,
      left: { kills, torn, zombies, evictions, pins, purges },
      tables: [[], []],
      tokens: [[], []],
      rows: [],
      intent: null,
      fence: 0,
      seals: [],
      sinks: [{ at: 'off' }, { at: 'off' }],
      pin: null,
    })),
  next(state, rules) {
    const collect = stepsOf(state);
    const { fault } = collect;
    const checkpoint = checkpointOf(state, rules);
    if (state.left.evictions > 0 && state.tokens.some((tokens) => tokens.length > 0)) {
      fault('other inserts push the tokens out of the window', (s) => {
        s.left.evictions--;
        s.tokens = [[], []];
      });
    }
    if (state.left.pins > 0 && checkpoint.seq > 0 && checkpoint.state === 'live') {
      fault(`a reader pins the view at ${checkpoint.seq}`, (s) => {
        s.left.pins--;
        s.pin = checkpoint;
      });
    }
    if (state.left.purges > 0) purgeStep(state, rules, checkpoint, fault);
    for (const who of state.sinks.keys()) sinkSteps(state, rules, who, collect);
    return collect.steps;
  },
  violation(state, rules) {
    const checkpoint = checkpointOf(state, rules);
    const seen = (view, who) => {
      const gone = retracted(state.history, view.seq).map(({ block }) => block);
      const expected = survivors(state.history, view.seq);
      for (const [index, table] of state.tables.entries()) {
        const visible = table.filter((seq) => seq <= view.seq && !gone.includes(seq)).sort((a, b) => a - b);
        if (!same(visible, expected))
          return `${who} at ${view.seq}: table ${index + 1} shows blocks ${visible.join(' ') || 'none'}, the chain is ${expected.join(' ')}`;
      }
      const chain = chainOf(state.history, view.seq);
      for (let bucket = 1; bucket <= view.sealed; bucket++) {
        const value = sealValue(state.seals, rules, bucket, view.sealSeq);
        if (value !== bucketValue(chain, bucket))
          return `${who} at ${view.seq}, sealed to ${view.sealed}: bucket ${bucket} is not what its trades give`;
      }
      return null;
    };
    const now = checkpoint.state === 'live' ? seen(checkpoint, 'reader') : null;
    return now ?? (state.pin ? seen(state.pin, 'pinned reader') : null);
  },
  unfinished(state, rules) {
    if (!state.sinks.some(({ at }) => at === 'idle')) return null;
    const { seq, state: words } = checkpointOf(state, rules);
    if (seq < state.history.length) return 'the tables are behind the log';
    return words === 'live' ? null : 'the chain stays unavailable';
  },
};

/** Rows of retracted blocks go away; with the rule only those whose retraction the oldest pinned view has seen. */
function purgeStep(state, rules, checkpoint, fault) {
  const oldest = rules.purgeOnlyUnpinned && state.pin ? Math.min(state.pin.seq, checkpoint.seq) : checkpoint.seq;
  const targets = retracted(state.history, oldest).map(({ block }) => block);
  if (!state.tables.some((table) => table.some((seq) => targets.includes(seq)))) return;
  fault(`purge deletes the rows of ${targets.join(' ')}`, (s) => {
    s.left.purges--;
    s.tables = s.tables.map((table) => table.filter((seq) => !targets.includes(seq)));
  });
}

function sinkSteps(state, rules, who, { step, fault }) {
  const mine = state.sinks[who];
  const name = `sink ${who}`;
  const { history } = state;
  const set = (s, fields) => Object.assign(s.sinks[who], fields);
  if (mine.at === 'off') {
    if (who === 1 && (state.left.zombies === 0 || state.sinks[0].at === 'off')) return;
    step(`${name} starts`, (s) => {
      if (who === 1) s.left.zombies--;
      s.sinks[who] = startOf(s, rules, ++s.fence);
    });
    return;
  }
  if (mine.at === 'fenced') return;
  if (state.left.kills > 0) {
    fault(`${name} is killed`, (s) => {
      s.left.kills--;
      s.sinks[who] = { at: 'off' };
    });
  }
  const { from, to } = mine;
  if (mine.at === 'idle') {
    for (let until = mine.position + 1; until <= Math.min(history.length, mine.position + 3); until++) {
      step(`${name} publishes the intent ${mine.position + 1}-${until}`, (s) => {
        if (rules.fencedIntents && mine.token !== s.fence) {
          s.sinks[who] = { at: 'fenced' };
          return;
        }
        s.intent = { from: mine.position + 1, to: until };
        set(s, { at: 'table 1', from: s.intent.from, to: until, complete: [false, false], repeat: false });
      });
    }
  }
  if (mine.at === 'count') {
    step(`${name} counts the rows of ${from}-${to}`, (s) => {
      const wanted = blocksIn(history, from, to);
      set(s, { at: 'table 1', complete: s.tables.map((table) => wanted.every((seq) => table.includes(seq))) });
    });
  }
  if (mine.at === 'table 1' || mine.at === 'table 2') {
    const table = mine.at === 'table 1' ? 0 : 1;
    const token = `${from}-${to}`;
    const wanted = blocksIn(history, from, to);
    const inserts = !mine.complete[table] && !state.tokens[table].includes(token);
    step(`${name} inserts ${from}-${to} into table ${table + 1}`, (s) => {
      if (inserts) {
        s.tokens[table].push(token);
        s.tables[table].push(...wanted);
      }
      const whole = wanted.every((seq) => s.tables[table].includes(seq));
      if (mine.repeat && rules.countRowsAfter && !whole) {
        // Under a token of its own; what is there of the range goes first, where no checkpoint has reached it.
        const reached = checkpointOf(s, rules).seq >= to;
        if (!reached) s.tables[table] = [...s.tables[table].filter((seq) => seq < from || seq > to), ...wanted];
      }
      set(s, { at: table === 0 ? 'table 2' : 'checkpoint' });
    });
    if (inserts && state.left.torn > 0) {
      fault(`${name} is killed between the token of ${token} in table ${table + 1} and its rows`, (s) => {
        s.left.torn--;
        s.tokens[table].push(token);
        s.sinks[who] = { at: 'off' };
      });
    }
  }
  if (mine.at === 'checkpoint') {
    step(`${name} writes checkpoint ${to}`, (s) => {
      const current = checkpointOf(s, rules);
      const below = deepest(history, from, to);
      const sealed = below === null ? current.sealed : Math.min(current.sealed, below);
      writeRow(
        s,
        { seq: to, sealed, sealSeq: current.sealSeq, state: below === null ? 'live' : 'rebuilding', deep: below ?? 0 },
        rules,
      );
      set(s, { at: below === null ? 'seal' : 'rebuild' });
    });
  }
  if (mine.at === 'rebuild') {
    step(`${name} rebuilds what lies above height ${checkpointOf(state, rules).deep}`, (s) => {
      const current = checkpointOf(s, rules);
      const top = Math.max(...history.map((group) => group.height ?? 0));
      // A version or a tombstone for every bucket that the retracted blocks touched, with or without trades of its own.
      for (let bucket = current.deep + 1; rules.rebuildTouched && bucket <= top; bucket++)
        putSeal(s, rules, bucket, to, 0, 0);
      writeRow(s, { ...current, seq: to, sealSeq: to * 2, state: 'live' }, rules);
      set(s, { at: 'seal' });
    });
  }
  if (mine.at === 'seal') sealStep(state, rules, who, step);
  if (mine.at === 'sealed row') {
    step(`${name} writes the checkpoint of the seals`, (s) => {
      writeRow(
        s,
        { ...checkpointOf(s, rules), seq: to, sealed: sealedHeight(history, to), sealSeq: to * 2 + 1, state: 'live' },
        rules,
      );
      set(s, { at: 'seal' });
    });
  }
}

function sealStep(state, rules, who, step) {
  const { to } = state.sinks[who];
  const upTo = sealedHeight(state.history, to);
  const { sealed } = checkpointOf(state, rules);
  if (upTo <= sealed) {
    step(`sink ${who} is done with ${to}`, (s) => {
      const { token } = s.sinks[who];
      s.sinks[who] = { at: 'idle', token, position: to };
    });
    return;
  }
  step(`sink ${who} inserts seals up to height ${upTo}`, (s) => {
    const chain = chainOf(s.history, to);
    // Only buckets that trade get a row; an empty one has none unless a rebuild left a tombstone.
    for (let bucket = sealed + 1; bucket <= upTo; bucket++) {
      const value = bucketValue(chain, bucket);
      if (value !== 0) putSeal(s, rules, bucket, to, 1, value);
    }
    s.sinks[who].at = 'sealed row';
  });
}

const blocksIn = (history, from, to) =>
  survivingOrNot(history, from, to).filter((seq) => history[seq - 1].kind === 'block');
const survivingOrNot = (_, from, to) => Array.from({ length: to - from + 1 }, (__, i) => from + i);

/** Where a sink continues after a start: what the checkpoint row says first, then an intent that was not finished. */
function startOf(s, rules, token) {
  const checkpoint = checkpointOf(s, rules);
  const { intent } = s;
  const reached = intent !== null && checkpoint.seq >= intent.to;
  if (checkpoint.seq > 0 && reached && rules.finishFirst) {
    return { at: checkpoint.state === 'rebuilding' ? 'rebuild' : 'seal', token, from: intent.from, to: checkpoint.seq };
  }
  if (intent === null || reached) return { at: 'idle', token, position: checkpoint.seq };
  if (!rules.sameRangeAgain) return { at: 'idle', token, position: intent.from - 1 };
  const { from, to } = intent;
  return { at: rules.countRowsFirst ? 'count' : 'table 1', token, from, to, complete: [false, false], repeat: true };
}
