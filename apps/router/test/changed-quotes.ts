import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';

type Path = (string | number)[];

/** The way to every value of a quote, the lists and objects themselves included. */
export function paths(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  const inner = Object.entries(value).flatMap(([name, member]) =>
    paths(member, [...at, Array.isArray(value) ? Number(name) : name]),
  );
  return at.length === 0 ? inner : [at, ...inner];
}

export function changed(quote: EvmQuote, path: Path, change: 'other' | 'type' | 'null' | 'gone'): unknown {
  const copy = structuredClone(quote) as never;
  const parent = path.slice(0, -1).reduce<Record<string | number, unknown>>((at, step) => at[step] as never, copy);
  const name = path.at(-1)!;
  if (change === 'gone') {
    if (Array.isArray(parent)) parent.splice(Number(name), 1);
    else delete parent[name];
  } else parent[name] = change === 'null' ? null : change === 'type' ? ofOtherType(parent[name]) : other(parent[name]);
  return copy;
}

const ofOtherType = (value: unknown): unknown =>
  typeof value === 'number' ? String(value) : typeof value === 'string' ? [value] : 'x';

function other(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return /^\d+$/.test(value) ? String(BigInt(value) + 1n) : `${value}x`;
  return Array.isArray(value) ? [] : {};
}

/** The same values with names in another order and unknown names between them. */
export function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, shuffled(member)]);
  return Object.fromEntries([...members.reverse(), ['unknownField', { a: [1, null] }]]);
}
