import { testVariables, variables } from './variables.js';

function knownNames(chainSlugs: readonly string[]): string[] {
  const names = variables.flatMap(({ name }) =>
    name.includes('<CHAIN>') ? chainSlugs.map((slug) => name.replace('<CHAIN>', slug.toUpperCase())) : [name],
  );
  return [...names, ...testVariables.variables.map(({ name }) => name)];
}

/** Warnings for TIDEPOOL_* variables that nothing reads, with the nearest known name. */
export function unknownVariables(env: Record<string, string | undefined>, chainSlugs: readonly string[]): string[] {
  const known = knownNames(chainSlugs);
  return Object.keys(env)
    .filter((name) => name.startsWith('TIDEPOOL_') && !known.includes(name))
    .sort()
    .map((name) => {
      const nearest = known.map((candidate) => ({ candidate, distance: editDistance(name, candidate) }));
      nearest.sort((a, b) => a.distance - b.distance);
      const best = nearest[0]!;
      const hint = best.distance <= Math.max(2, name.length / 4) ? `; did you mean ${best.candidate}?` : '';
      return `${name} is not a variable of this version and has no effect${hint}`;
    });
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substitution, previous[j]! + 1, row[j - 1]! + 1));
    }
    previous = row;
  }
  return previous[b.length]!;
}
