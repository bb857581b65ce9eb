import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hunt, huntedSpecs } from '../hunt.mjs';

const specs = Array.from({ length: 60 }, (_, n) => `libs/${n}.spec.ts`);
const passing = { passed: 1, failed: 0, failedSuites: [] };

/** A hunt whose rounds take so long by its clock, for each spec. */
function huntOf({ minutes = 3, perSpecMs = 2_000, answer = () => passing }) {
  let now = 0;
  const rounds = [];
  const round = async (asked) => {
    rounds.push(asked);
    now += perSpecMs * asked.specs.length;
    return answer(rounds.length, asked);
  };
  const found = hunt({ specs, ms: minutes * 60_000, round, now: () => now, say: () => undefined });
  return found.then((result) => ({ ...result, calls: rounds, took: now }));
}

test('each round has a name of its own and other specs, and the hunt ends in time', async () => {
  const { rounds, passed, failed, findings, calls, took } = await huntOf({});
  assert.equal(rounds, calls.length);
  assert.ok(rounds > 3);
  assert.equal(new Set(calls.map(({ name }) => name)).size, rounds);
  const drawn = calls.flatMap((call) => call.specs);
  assert.equal(new Set(drawn.slice(0, specs.length)).size, Math.min(drawn.length, specs.length));
  assert.deepEqual([passed, failed, findings], [rounds, 0, []]);
  assert.ok(took <= 180_000 && took > 120_000, `${took}`);
});

test('the order differs from hunt to hunt', async () => {
  const [one, other] = [await huntOf({}), await huntOf({})];
  assert.notDeepEqual(
    one.calls.flatMap((call) => call.specs),
    other.calls.flatMap((call) => call.specs),
  );
});

test('the first round that fails ends it with the command that repeats it', async () => {
  const failing = { passed: 4, failed: 1, failedSuites: ['libs/7.spec.ts'] };
  const { rounds, failed, findings, calls } = await huntOf({ answer: (nth) => (nth === 2 ? failing : passing) });
  assert.deepEqual([rounds, failed], [2, 1]);
  assert.deepEqual(findings, [`TIDEPOOL_TEST_RUN=${calls[1].name} npm test -- libs/7.spec.ts`]);
});

test('a round that was stopped does not count', async () => {
  const { rounds, findings } = await huntOf({ answer: (nth) => (nth === 2 ? null : passing) });
  assert.deepEqual([rounds, findings], [1, []]);
});

test('it looks at specs that draw seeds, and at whole programs and long runs only where they are asked for', () => {
  const texts = {
    'libs/a.spec.ts': 'withSeed(',
    'libs/b.spec.ts': 'expect(',
    'libs/c.spec.ts': `testSeed()\ndescribe('c (long)', () => {\n`,
    'libs/d.spec.ts': `testSeed()\ndescribe('d (long)', () => {\n});\ntest('short', () => {\n`,
    'test/upgrades/e.spec.ts': 'testSeed()',
  };
  const of = (paths) => huntedSpecs({ files: Object.keys(texts), text: (file) => texts[file], paths });
  assert.deepEqual(of([]), ['libs/a.spec.ts', 'libs/d.spec.ts']);
  assert.deepEqual(of(['test/upgrades']), ['test/upgrades/e.spec.ts']);
  assert.deepEqual(of(['libs/c']), ['libs/c.spec.ts']);
});
