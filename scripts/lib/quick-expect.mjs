// `expect` as jest has it, without its price where a claim holds. For each call jest makes sixty functions and an error with
// its stack, which is most of what a property test of a million comparisons does. Invariant: what passes here passes there;
// whatever is not plainly so is left to jest, which then says what is wrong. Kept since without it the same specs take a tenth
// more of processor time (folds, curves and codecs: 23.2 -> 26.1 s).

/** Objects within objects, deeper than any claim: a circle is left to jest. */
const DEEPEST = 100;

/** Deeply the same in the strictest sense. False says nothing. */
export function plainlySame(a, b, depth = 0) {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null || depth > DEEPEST) return false;
  const kind = Object.getPrototypeOf(a);
  if (kind !== Object.getPrototypeOf(b)) return false;
  if (kind === Array.prototype) {
    if (a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!plainlySame(a[i], b[i], depth + 1)) return false;
    return true;
  }
  if (kind !== Object.prototype) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length || hasSymbols(a) || hasSymbols(b)) return false;
  for (const key of keys) if (!Object.hasOwn(b, key) || !plainlySame(a[key], b[key], depth + 1)) return false;
  return true;
}

const hasSymbols = (of) => Object.getOwnPropertySymbols(of).length > 0;

const areNumbers = (a, b) => typeof a === typeof b && (typeof a === 'number' || typeof a === 'bigint');

/** Matchers that say at once where a claim plainly holds. */
const quick = {
  toBe: (actual, expected) => Object.is(actual, expected),
  toEqual: (actual, expected) => plainlySame(actual, expected),
  toBeNull: (actual) => actual === null,
  toBeGreaterThan: (actual, than) => areNumbers(actual, than) && actual > than,
  toBeGreaterThanOrEqual: (actual, than) => areNumbers(actual, than) && actual >= than,
  toBeLessThan: (actual, than) => areNumbers(actual, than) && actual < than,
  toBeLessThanOrEqual: (actual, than) => areNumbers(actual, than) && actual <= than,
};

export function quickExpect(full) {
  class Claim {
    constructor(actual) {
      this.actual = actual;
    }
  }
  for (const [name, of] of Object.entries(full(null))) {
    const holds = quick[name];
    const matcher = function (...args) {
      // One argument or none, as the matcher takes: more are jest's to refuse.
      if (holds !== undefined && args.length === holds.length - 1 && holds(this.actual, args[0])) return;
      try {
        full(this.actual)[name](...args);
      } catch (error) {
        // The place of the claim, not of this file.
        if (error instanceof Error) Error.captureStackTrace(error, matcher);
        throw error;
      }
    };
    const isMatcher = typeof of === 'function';
    Object.defineProperty(
      Claim.prototype,
      name,
      isMatcher
        ? { value: matcher }
        : {
            get() {
              return full(this.actual)[name];
            },
          },
    );
  }
  const expect = (actual, ...rest) => (rest.length > 0 ? full(actual, ...rest) : new Claim(actual));
  return Object.defineProperties(expect, Object.getOwnPropertyDescriptors(full));
}

if (globalThis.expect !== undefined) globalThis.expect = quickExpect(globalThis.expect);
