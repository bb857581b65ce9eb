import type { FetchedMessage, FetchedPartition } from './kafka-client.js';
import { committedRecords } from './kafka-partition.js';

function fetched(
  messages: [offset: number, producer: string, control?: boolean][],
  aborted: [producer: string, first: number][],
  stable: number,
): FetchedPartition {
  return {
    partition: 0,
    highWatermark: String(stable),
    lastStableOffset: String(stable),
    abortedTransactions: aborted.map(([producerId, first]) => ({ producerId, firstOffset: String(first) })),
    messages: messages.map(
      ([offset, producerId, control]): FetchedMessage => ({
        offset: String(offset),
        key: null,
        value: Buffer.from(`${offset}`),
        timestamp: '1',
        isControlRecord: control === true,
        batchContext: { producerId, inTransaction: true },
      }),
    ),
  };
}

const offsets = (result: { records: { offset: number }[] }): number[] => result.records.map((r) => r.offset);

describe('read_committed over a fetch', () => {
  test('drops markers and aborted records, also of overlapping transactions', () => {
    const partition = fetched(
      [
        [0, 'a'],
        [1, 'b'],
        [2, 'c'],
        [3, 'a'],
        [4, 'b', true],
        [5, 'b'],
        [6, 'a', true],
        [7, 'a'],
        [8, 'c', true],
      ],
      [
        ['b', 1],
        ['a', 0],
      ],
      9,
    );
    expect(offsets(committedRecords(partition, 0))).toEqual([2, 5, 7]);
    expect(committedRecords(partition, 0).next).toBe(9);
  });

  test('two aborted transactions that begin below the fetch are both known', () => {
    const partition = fetched(
      [
        [10, 'a'],
        [11, 'b'],
        [12, 'c'],
      ],
      [
        ['a', 2],
        ['b', 3],
      ],
      13,
    );
    expect(offsets(committedRecords(partition, 10))).toEqual([12]);
  });

  test('records of the first batch below the offset asked for are skipped, their markers are not', () => {
    const partition = fetched(
      [
        [4, 'a'],
        [5, 'a', true],
        [6, 'a'],
        [7, 'a'],
      ],
      [['a', 3]],
      8,
    );
    expect(offsets(committedRecords(partition, 6))).toEqual([6, 7]);
    expect(offsets(committedRecords(partition, 7))).toEqual([7]);
  });

  test('an empty fetch below the stable end moves on by one, at the end it stays', () => {
    expect(committedRecords(fetched([], [], 20), 7).next).toBe(8);
    expect(committedRecords(fetched([], [], 7), 7).next).toBe(7);
    expect(committedRecords(fetched([[7, 'a', true]], [], 8), 7)).toEqual({ records: [], next: 8 });
  });
});
