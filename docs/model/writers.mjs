// Rules 1-5: two writers of one log, kills, lost answers, expired locks, a builder of another epoch.
// The writers follow a chain that grows and reorganises; a consumer must be able to read the log as one chain.
import { same, stepsOf } from './explore.mjs';

/** What a consumer makes of a log: refuses a gap, ignores a repeat, joins chunks. */
function consume(log, rules) {
  const read = rules.chunksCarrySeq ? joinBySeq(log) : joinByMarker(log);
  if (read.error) return read;
  let chain = [];
  for (const group of read.groups) {
    if (group.kind === 'retract') chain = chain.slice(0, group.to);
    else if ((chain.at(-1) ?? 0) !== group.parent)
      return { error: `block ${group.id} does not follow ${chain.at(-1) ?? 0}` };
    else chain.push(group.id);
  }
  return { chain, next: read.next };
}

/** Every chunk says (seq, token, i, n); i = 0 discards what was unfinished; only a complete group counts. */
function joinBySeq(log) {
  const groups = [];
  let open = [];
  let next = 1;
  for (const chunk of log) {
    if (chunk.i === 0) open = [];
    const fits =
      chunk.i === open.length && open.every((first) => first.token === chunk.token && first.seq === chunk.seq);
    open = fits ? [...open, chunk] : [];
    if (open.length === 0 || chunk.i < chunk.n - 1) continue;
    open = [];
    if (chunk.seq > next) return { error: `gap: expected seq ${next}, found ${chunk.seq}` };
    if (chunk.seq === next) {
      groups.push(chunk.group);
      next++;
    }
  }
  return { groups, next };
}

/** Records are numbered one by one and only the last of a group is marked. */
function joinByMarker(log) {
  const groups = [];
  let open = [];
  let next = 1;
  for (const chunk of log) {
    if (chunk.seq < next) continue;
    if (chunk.seq > next) return { error: `gap: expected record ${next}, found ${chunk.seq}` };
    next++;
    open.push(chunk);
    if (chunk.i < chunk.n - 1) continue;
    if (open.some(({ write }) => write !== chunk.write))
      return { error: 'a group is joined from chunks of two writes' };
    groups.push(chunk.group);
    open = [];
  }
  return { groups, next };
}

/** The group that brings what a writer published closer to the chain; null when they are the same. */
function nextGroup(published, chain) {
  let common = 0;
  while (common < Math.min(published.length, chain.length) && published[common] === chain[common]) common++;
  if (common < published.length) return { kind: 'retract', to: common };
  if (common === chain.length) return null;
  return { kind: 'block', id: chain[common], parent: chain[common - 1] ?? 0 };
}

const applied = (published, group) =>
  group.kind === 'block' ? [...published, group.id] : published.slice(0, group.to);
const say = (group) => (group.kind === 'block' ? `block ${group.id}` : `retraction to ${group.to}`);

function chainSteps(state, { fault }) {
  if (state.left.blocks > 0) {
    fault('the chain grows', (s) => {
      s.chain.push(s.nextId++);
      s.left.blocks--;
    });
  }
  for (let depth = 1; state.left.reorgs > 0 && depth <= Math.min(2, state.chain.length); depth++) {
    fault(`the chain reorganises ${depth} deep`, (s) => {
      s.chain.splice(-depth, depth, s.nextId++);
      s.left.reorgs--;
    });
  }
}

const start = (left) => [
  {
    chain: [],
    nextId: 1,
    left,
    log: [],
    fence: 0,
    lock: -1,
    write: 1,
    writers: [{ at: 'off' }, { at: 'off' }],
    builder: false,
  },
];

/** A log with transactions that fence by id (Kafka): a group is one atomic append. */
export const transactional = {
  initial: ({ blocks, reorgs, kills }) => start({ blocks, reorgs, kills, lost: 1, builders: 1 }),
  next(state, rules) {
    const collect = stepsOf(state);
    const { steps, step, fault } = collect;
    chainSteps(state, collect);
    state.writers.forEach((writer, who) => {
      const name = `writer ${who}`;
      const fences = (s) => (s.writers[who].token = ++s.fence);
      const reads = (s) => {
        const { chain = [], next = 1 } = consume(s.log, rules);
        Object.assign(s.writers[who], { published: chain, next });
      };
      const [first, second] = rules.fenceBeforeRead ? [fences, reads] : [reads, fences];
      const words = (work) => (work === fences ? 'fences' : 'reads the last seq');
      if (writer.at === 'off' && (who === 0 || state.writers[0].at !== 'off')) {
        step(`${name} starts`, (s) => (s.writers[who] = { at: 'first' }));
      }
      if (writer.at === 'first') {
        step(`${name} ${words(first)}`, (s) => {
          first(s);
          s.writers[who].at = 'second';
        });
      }
      if (writer.at === 'second') {
        step(`${name} ${words(second)}`, (s) => {
          second(s);
          s.writers[who].at = 'run';
        });
      }
      const group = writer.at === 'run' ? nextGroup(writer.published, state.chain) : null;
      if (group)
        step(`${name} builds ${say(group)} as seq ${writer.next}`, (s) =>
          Object.assign(s.writers[who], { at: 'append', group }),
        );
      if (writer.at === 'append') {
        const put = (s) => s.log.push({ seq: writer.next, i: 0, n: 1, token: writer.token, group: writer.group });
        step(`${name} commits seq ${writer.next}`, (s) => {
          if (writer.token !== s.fence) s.writers[who] = { at: 'fenced' };
          else {
            put(s);
            const published = applied(writer.published, writer.group);
            s.writers[who] = { at: 'run', token: writer.token, published, next: writer.next + 1 };
          }
        });
        if (state.left.lost > 0 && writer.token === state.fence) {
          fault(`${name} commits seq ${writer.next}, and the answer is lost`, (s) => {
            s.left.lost--;
            put(s);
            const { token, published, next } = writer;
            s.writers[who] = rules.rereadAfterUnknown ? { at: 'first' } : { at: 'run', token, published, next };
          });
        }
      }
      if (!['off', 'fenced'].includes(writer.at) && state.left.kills > 0) {
        fault(`${name} is killed`, (s) => {
          s.left.kills--;
          s.writers[who] = { at: 'off' };
        });
      }
      if (writer.at === 'run' && state.left.builders > 0) {
        fault('a builder of epoch 2 fences', (s) => {
          s.left.builders--;
          s.builder = true;
          if (!rules.oneIdPerEpoch) s.fence++;
        });
      }
    });
    return steps;
  },
  violation: (state, rules) => consume(state.log, rules).error,
  unfinished(state, rules) {
    if (state.writers.some(({ at }) => at === 'run') && !same(consume(state.log, rules).chain, state.chain))
      return 'the log is behind the chain';
    const idle = state.writers.every(({ at }) => at === 'fenced');
    if (idle && state.builder && state.left.builders === 0)
      return 'the builder of another epoch fenced the live writers';
    return null;
  },
};

/** A log without transactions over chunks: two appends a group, a lock that can expire under a paused writer. */
export const chunked = {
  initial: ({ blocks, reorgs, kills, expiries }) => start({ blocks, reorgs, kills, expiries }),
  next(state, rules) {
    const collect = stepsOf(state);
    const { steps, step, fault } = collect;
    chainSteps(state, collect);
    state.writers.forEach((writer, who) => {
      const name = `writer ${who}`;
      if (writer.at === 'off' && state.lock === -1) {
        step(`${name} takes the lock`, (s) => {
          s.lock = who;
          s.writers[who] = { at: 'locked', token: ++s.fence };
        });
      }
      if (writer.at === 'locked') {
        step(`${name} reads the last seq`, (s) => {
          const { chain = [], next = 1 } = consume(s.log, rules);
          const last = Math.max(0, ...s.log.map(({ seq }) => seq));
          Object.assign(s.writers[who], { at: 'run', published: chain, next: rules.chunksCarrySeq ? next : last + 1 });
        });
      }
      /** Appends a chunk if the log still is what the writer believes; otherwise the writer knows it was fenced. */
      const append = (s, i, group, write) => {
        const seq = rules.chunksCarrySeq ? writer.next : writer.next + i;
        const believed = writer.token === s.fence && seq === consume(s.log, rules).next;
        if (rules.compareAndAppend && !believed) return false;
        s.log.push({ seq, i, n: 2, token: writer.token, write, group });
        return true;
      };
      const group = writer.at === 'run' ? nextGroup(writer.published, state.chain) : null;
      if (group) {
        step(`${name} appends the first chunk of ${say(group)} as seq ${writer.next}`, (s) => {
          const write = s.write++;
          if (append(s, 0, group, write)) Object.assign(s.writers[who], { at: 'half', group, write });
          else s.writers[who] = { at: 'fenced' };
        });
      }
      if (writer.at === 'half') {
        step(`${name} appends the last chunk of seq ${writer.next}`, (s) => {
          const { token, published, next } = writer;
          if (!append(s, 1, writer.group, writer.write)) s.writers[who] = { at: 'fenced' };
          else
            s.writers[who] = {
              at: 'run',
              token,
              published: applied(published, writer.group),
              next: next + (rules.chunksCarrySeq ? 1 : 2),
            };
        });
      }
      if (!['off', 'fenced'].includes(writer.at) && state.left.kills > 0) {
        fault(`${name} is killed`, (s) => {
          s.left.kills--;
          s.writers[who] = { at: 'off' };
          if (s.lock === who) s.lock = -1;
        });
      }
      if (state.lock === who && state.left.expiries > 0) {
        fault(`the lock of ${name} expires`, (s) => {
          s.left.expiries--;
          s.lock = -1;
        });
      }
    });
    return steps;
  },
  violation: (state, rules) => consume(state.log, rules).error,
  unfinished: (state, rules) =>
    state.writers.some(({ at }) => at === 'run') && !same(consume(state.log, rules).chain, state.chain)
      ? 'the log is behind the chain'
      : null,
};
