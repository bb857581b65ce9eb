/**
 * Suites that need something a machine may lack. Without it they are skipped with one line that names it; where
 * TIDEPOOL_REQUIRE_REAL=1 says that it must be there (CI), its absence fails the suite.
 */
const requireReal = process.env.TIDEPOOL_REQUIRE_REAL === '1';

/** The line that scripts/test.mjs counts. Not by `console`, which jest shows with the source around it. */
export function reportSkipped(suite: string, missing: string): void {
  process.stderr.write(`SKIPPED: ${suite}: ${missing}\n`);
}

/** `describe` for what needs something; `missing` says in words what is not there, null when everything is. */
export function describeUnlessMissing(missing: string | null, name: string, body: () => void): void {
  if (missing === null) {
    describe(name, body);
  } else if (requireReal) {
    describe(name, () => {
      test('what it needs is there', () => {
        throw new Error(`${missing}; TIDEPOOL_REQUIRE_REAL=1 asks for it`);
      });
    });
  } else {
    reportSkipped(name, missing);
    describe.skip(name, body);
  }
}
