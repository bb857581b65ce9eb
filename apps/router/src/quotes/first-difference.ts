import { isObject, JsonNumber, type JsonValue } from '#libs/http/json-body.js';

/**
 * Where a quote that came back differs from the one that was made, or null when it does not. Compared as JSON values:
 * the order of names and names that were not there do not matter; a name that is missing does, inside lists too.
 */
export function firstDifference(held: unknown, given: JsonValue | undefined, path = ''): string | null {
  if (Array.isArray(held)) {
    if (!Array.isArray(given) || given.length !== held.length) return path;
    return firstOf(held.keys(), (index) => firstDifference(held[index], given[index], `${path}[${index}]`));
  }
  if (typeof held === 'object' && held !== null) {
    if (!isObject(given)) return path;
    const members = Object.entries(held);
    return firstOf(members, ([name, value]) =>
      firstDifference(value, given[name], path === '' ? name : `${path}.${name}`),
    );
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
