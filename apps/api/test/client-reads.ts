/** Reads of a client by name; each is asked of two places and has to give the same. */
export type ClientReads = Record<string, () => Promise<unknown>>;

/** What each read gave, or what `wordsOf` says of its failure. They run together, so that a client's batches have many calls. */
export async function outcomes(
  reads: ClientReads,
  wordsOf: (error: Error) => unknown,
): Promise<Record<string, unknown>> {
  const outcome = async (read: ClientReads[string]): Promise<unknown> =>
    read().catch((error: Error) => ({ failed: wordsOf(error) }));
  const seen = Object.entries(reads).map(async ([name, read]) => [name, await outcome(read)] as const);
  return Object.fromEntries(await Promise.all(seen));
}

/** Names of the reads that failed. */
export const failed = (seen: Record<string, unknown>): string[] =>
  Object.keys(seen).filter((name) => (seen[name] as { failed?: unknown } | null)?.failed !== undefined);
