/** Runs all until the signal aborts; the first that fails ends the others. */
export async function together(
  signal: AbortSignal,
  parts: readonly ((own: AbortSignal) => Promise<void>)[],
): Promise<void> {
  const own = new AbortController();
  const both = AbortSignal.any([signal, own.signal]);
  const outcomes = await Promise.allSettled(
    parts.map(async (part) => {
      try {
        await part(both);
      } catch (error) {
        const first = !both.aborted;
        own.abort();
        if (first) throw error;
      }
    }),
  );
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
