import fc from 'fast-check';
import { JsonNumber } from '#libs/core/exact-json.js';
import { scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { isJsonObject, type JsonValue, readJson } from './json-body.js';

const seed = testSeed(20_250_101);
const runs = scaled(2_000, 50);

/** As JSON.parse would have it, to compare by. */
function plain(value: JsonValue | undefined): unknown {
  if (value instanceof JsonNumber) return value.value;
  if (Array.isArray(value)) return value.map(plain);
  if (isJsonObject(value)) {
    const out: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) {
      Object.defineProperty(out, name, { value: plain(member), enumerable: true, configurable: true, writable: true });
    }
    return out;
  }
  return value;
}

function outcome(read: () => unknown): { value: unknown } | 'refused' {
  try {
    return { value: read() };
  } catch {
    return 'refused';
  }
}

describe('JSON of a body', () => {
  it(`reads what JSON.parse reads (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom('', ' ', '\n\t\r '), (text, space) => {
        expect(plain(readJson(space + text + space))).toEqual(JSON.parse(text));
      }),
      { seed, numRuns: runs },
    );
  });

  it(`refuses what JSON.parse refuses, and accepts nothing more (seed ${seed})`, () => {
    const damage = fc.tuple(
      fc.json({ maxDepth: 4 }),
      fc.nat(),
      fc.constantFrom(...'{}[]",:\\ 0-.eE+tfnul\u0000\u001f'),
    );
    fc.assert(
      fc.property(damage, fc.boolean(), ([text, place, char], insert) => {
        const at = place % (text.length + 1);
        const damaged = text.slice(0, at) + char + text.slice(insert ? at : at + 1);
        expect(outcome(() => plain(readJson(damaged)))).toEqual(outcome(() => JSON.parse(damaged)));
      }),
      { seed, numRuns: runs * 3 },
    );
  });

  it('keeps the text of numbers', () => {
    const read = readJson(
      '{"a":9007199254740993,"b":1e3,"c":1.0,"d":-0,"e":18446744073709551615,"f":"1e3"}',
    ) as never as Record<string, JsonNumber>;
    expect(read.a!.integer).toBe(9007199254740993n);
    expect(read.e!.integer).toBe(18446744073709551615n);
    expect([read.b!.integer, read.c!.integer]).toEqual([null, null]);
    expect(read.f).toBe('1e3');
    expect(read.d!.text).toBe('-0');
  });

  it('has no special names, and the last of a repeated name', () => {
    const read = readJson('{"__proto__":{"x":1},"constructor":2,"a":1,"a":2}') as Record<string, JsonValue>;
    expect(Object.getPrototypeOf(read)).toBeNull();
    expect(Object.keys(read)).toEqual(['__proto__', 'constructor', 'a']);
    expect((read.a as JsonNumber).text).toBe('2');
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it('refuses nesting that could only exhaust the stack', () => {
    expect(() => readJson('['.repeat(100_000))).toThrow('deeper than 64');
    expect(() => readJson(`${'['.repeat(64)}${']'.repeat(64)}`)).not.toThrow();
  });
});
