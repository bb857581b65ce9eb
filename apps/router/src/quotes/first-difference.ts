import { JsonNumber } from '#libs/core/exact-json.js';
import { isJsonObject, type JsonValue } from '#libs/serve/http/json-body.js';

const NONE: ReadonlySet<string> = new Set();

/**
 * The path of the first field in which a returned quote differs from the one that was made; null when it does not differ.
 * Values are compared as JSON: the order of names does not matter, and names that we did not send are ignored. A missing
 * name is a difference, inside lists too, unless it is one of the `optional` names.
 */
export function firstDifference(
  held: unknown,
  given: JsonValue | undefined,
  optional: ReadonlySet<string> = NONE,
  path = '',
): string | null {
  if (Array.isArray(held)) {
    if (!Array.isArray(given) || given.length !== held.length) return path;
    return firstOf(held.keys(), (index) => firstDifference(held[index], given[index], NONE, `${path}[${index}]`));
  }
  if (typeof held === 'object' && held !== null) {
    if (!isJsonObject(given)) return path;
    return firstOf(Object.entries(held), ([name, value]) => {
      if (optional.has(name) && !Object.hasOwn(given, name)) return null;
      return firstDifference(value, given[name], NONE, path === '' ? name : `${path}.${name}`);
    });
  }
  const same = typeof held === 'number' ? given instanceof JsonNumber && given.value === held : given === held;
  return same ? null : path;
}

function firstOf<T>(items: Iterable<T>, look: (item: T) => string | null): string | null {
  for (const item of items) {
    const found = look(item);
    if (found !== null) return found;
  }
  return null;
}
