/**
 * An object whose calls are counted by name, so that a spec which expects nothing to happen can wait until the code under
 * test has looked, instead of waiting for a time.
 */
export function countedCalls<T extends object>(target: T): { object: T; calls: (name: keyof T) => number } {
  const counts = new Map<PropertyKey, number>();
  const object = new Proxy(target, {
    get(inner, name) {
      const value: unknown = Reflect.get(inner, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        counts.set(name, (counts.get(name) ?? 0) + 1);
        return value.apply(inner, args);
      };
    },
  });
  return { object, calls: (name) => counts.get(name) ?? 0 };
}
