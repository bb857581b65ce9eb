/**
 * Does the work for each item, so many at a time and each begun in the order of the items. Invariant: when it ends, nothing that it
 * began is still under way, also when one failed; after a failure no other is begun, and the first failure comes out.
 */
export async function forEachConcurrent<T>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      try {
        await work(items[next++]!);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: most }, worker));
  if (failures.length > 0) throw failures[0];
}
