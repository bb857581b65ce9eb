/** Runs a random test and says in its failure which seed repeats it. */
export async function seeded(seed: number, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    (error as Error).message = `TIDEPOOL_TEST_SEED=${seed}\n${(error as Error).message}`;
    throw error;
  }
}
