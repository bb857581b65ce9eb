/**
 * What a random test insists on having met comes by chance: it continues with further rounds until nothing is missing, and
 * fails when so many did not bring it.
 */
export async function untilMet(
  missing: () => readonly string[],
  round: (nth: number) => Promise<void> | void,
  most = 100,
): Promise<void> {
  for (let nth = 0; missing().length > 0 && nth < most; nth++) await round(nth);
  expect({ rounds: most, missing: missing() }).toEqual({ rounds: most, missing: [] });
}

/** The names of what was never counted. */
export const neverCounted = (counts: Readonly<Record<string, number>>): string[] =>
  Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [name] : []));
