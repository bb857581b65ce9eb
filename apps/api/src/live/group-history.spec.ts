import type { TailEntry } from '#libs/serve/reader/tail-buffer.js';
import { GroupHistory } from './group-history.js';

const entry = (seq: number, bytes = 10): TailEntry => ({
  ...{ seq, bytes, group: null, retracts: null, reopensAt: null, finalizedHeight: -1 },
  head: { height: seq, hash: 'aa', time: seq, proof: 'none' },
});

describe('group history', () => {
  const seqs = (history: GroupHistory, from: number, to: number) =>
    history.range(from, to)?.map(({ seq }) => seq) ?? null;

  it('holds what it began with and what came, and nothing before', () => {
    const history = new GroupHistory({ groups: 100, bytes: 10_000 }, 12, [entry(11), entry(12)]);
    history.push(entry(13));
    expect(history.seq).toBe(13);
    expect(seqs(history, 11, 13)).toEqual([11, 12, 13]);
    expect(seqs(history, 12, 12)).toEqual([12]);
    expect(seqs(history, 14, 13)).toEqual([]);
    expect(seqs(history, 10, 13)).toBeNull();
    expect(seqs(history, 12, 14)).toBeNull();
    expect(() => history.push(entry(15))).toThrow('expected seq 14');
  });

  it('drops the oldest past its bounds, by number and by bytes', () => {
    const history = new GroupHistory({ groups: 5, bytes: 100 }, -1, []);
    for (let seq = 0; seq < 1_000; seq++) {
      history.push(entry(seq));
      const first = Math.max(0, seq - 4);
      expect(seqs(history, first, seq)).toEqual(Array.from({ length: seq - first + 1 }, (_, i) => first + i));
      if (first > 0) expect(seqs(history, first - 1, seq)).toBeNull();
    }
    history.push(entry(1_000, 85));
    expect(seqs(history, 999, 1_000)).toEqual([999, 1_000]);
    expect(seqs(history, 998, 1_000)).toBeNull();
    history.push(entry(1_001, 500));
    expect(seqs(history, 1_001, 1_001)).toBeNull();
    expect(seqs(history, 1_002, 1_001)).toEqual([]);
    history.push(entry(1_002));
    expect(seqs(history, 1_002, 1_002)).toEqual([1_002]);
  });
});
