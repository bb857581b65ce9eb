import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expect as full } from 'expect';
import { plainlySame, quickExpect } from '../lib/quick-expect.mjs';

const quick = quickExpect(full);

/** What a claim comes to: null when it holds, else what is said. */
function outcome(claim) {
  try {
    claim();
    return null;
  } catch (error) {
    return error.message;
  }
}

const circle = {};
circle.self = circle;
const otherCircle = {};
otherCircle.self = otherCircle;

const equal = ['toBe', 'toEqual'];
const orders = ['toBeGreaterThan', 'toBeGreaterThanOrEqual', 'toBeLessThan', 'toBeLessThanOrEqual'];
const comparable = [null, 0, -0, 1, Number.NaN, 1n, 0n, '1'];
const values = [
  ...comparable,
  ...[undefined, true, '', Symbol.for('a')],
  ...[[], [1], [undefined], new Array(1), [[1n], { a: 1 }]],
  ...[{}, { a: 1 }, { a: 1, b: undefined }, { b: 1 }, { a: [{ b: 1n }] }, { a: [{ b: 2n }] }],
  ...[{ [Symbol.for('a')]: 1 }, { [Symbol.for('a')]: 2 }, Object.create(null), new (class Point {})()],
  ...[new Date(5), new Map([[1, 2]]), new Map([[1, 3]]), Buffer.from('a'), Uint8Array.of(97)],
  ...[new Error('a'), circle, otherCircle, full.anything(), full.objectContaining({ a: 1 })],
];

test('a claim comes to what jest says of it, for every pair of values', () => {
  let compared = 0;
  for (const actual of values) {
    for (const expected of values) {
      const ordered = comparable.includes(actual) && comparable.includes(expected);
      for (const name of ordered ? [...equal, ...orders] : equal) {
        assert.equal(
          outcome(() => quick(actual)[name](expected)),
          outcome(() => full(actual)[name](expected)),
        );
        assert.equal(
          outcome(() => quick(actual).not[name](expected)),
          outcome(() => full(actual).not[name](expected)),
        );
        compared++;
      }
    }
    assert.equal(
      outcome(() => quick(actual).toBeNull()),
      outcome(() => full(actual).toBeNull()),
    );
  }
  assert.equal(compared, equal.length * values.length ** 2 + orders.length * comparable.length ** 2);
});

test('what is deep, or not of plain objects, is left to jest', () => {
  assert.equal(plainlySame(circle, otherCircle), false);
  assert.equal(plainlySame(new Date(5), new Date(5)), false);
  assert.equal(plainlySame({ a: [1n, { b: 'x' }] }, { a: [1n, { b: 'x' }] }), true);
});

test('what is wrong is said with the place of the claim', () => {
  try {
    quick({ a: 1 }).toEqual({ a: 2 });
  } catch (error) {
    assert.match(
      error.stack.split('\n').find((line) => line.includes(' at ')),
      /quick-expect\.test\.mjs/,
    );
    assert.match(error.message, /toEqual/);
    return;
  }
  assert.fail('it holds');
});

test('the helpers of expect are there, and promises', async () => {
  quick({ a: 1, b: 2 }).toEqual(quick.objectContaining({ a: 1 }));
  await quick(Promise.resolve(1)).resolves.toBe(1);
  await assert.rejects(async () => quick(Promise.resolve(1)).resolves.toBe(2), /toBe/);
  await quick(Promise.reject(new Error('no'))).rejects.toThrow('no');
});
