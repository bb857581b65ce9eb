import { ApiHarness } from '#apps/api/test/api-harness.js';
import { RouterHarness } from '#apps/router/test/router-harness.js';
import { seeds, servedMarket } from '#libs/testing/market/market-harness.js';
import { describeUnlessMissing } from '#libs/testing/requirements.js';
import { testScale } from '#libs/testing/seeded-random.js';
import { missingSchemathesis, runSchemathesis } from './schemathesis.js';

/** Both listeners answer generated requests as their documents say: no 5xx, no undocumented status, every body valid. */
describeUnlessMissing(missingSchemathesis, 'contract of the documents (long)', () => {
  const [seed] = seeds(1) as [number];
  const examples = Math.max(10, Math.round(100 * testScale));

  it(`market data (seed ${seed})`, async () => {
    const market = servedMarket(seed, { groups: 60 });
    const harness = await ApiHarness.start(market);
    try {
      await harness.advance(59, 40);
      const document = (await harness.get('/openapi.yaml')).text;
      const { url } = harness.api;
      // A stream has no end that a request could wait for; its transport has specs of its own.
      const outcome = await runSchemathesis({
        url,
        document,
        key: harness.key,
        seed,
        examples,
        without: ['openStream'],
      });
      expect(outcome.code === 0 ? '' : outcome.output).toBe('');
      expect(outcome.cases).toBeGreaterThan(100);
      expect(harness.problems).toEqual([]);
    } finally {
      await harness.close();
    }
  }, 900_000);

  it(`router (seed ${seed})`, async () => {
    const harness = await RouterHarness.start({ keys: true });
    try {
      const document = (await harness.get('/openapi.yaml')).text;
      const { url } = harness.router;
      const outcome = await runSchemathesis({ url, document, key: harness.key!, seed, examples });
      expect(outcome.code === 0 ? '' : outcome.output).toBe('');
      expect(outcome.cases).toBeGreaterThan(100);
      expect(harness.problems).toEqual([]);
    } finally {
      await harness.close();
    }
  }, 900_000);
});
