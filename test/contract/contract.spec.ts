import { parse } from 'yaml';
import { ApiHarness } from '#apps/api/test/api-harness.js';
import { RouterHarness } from '#apps/router/test/router-harness.js';
import { SolanaWorld } from '#apps/router/test/solana-world.js';
import { seeds, servedMarket } from '#libs/devkit/testing/market/market-harness.js';
import { describeUnlessMissing } from '#libs/devkit/testing/requirements.js';
import { testScale } from '#libs/devkit/testing/seeded-random.js';
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
      // Those of Solana have a world of their own, below.
      const without = operationsOf(document, (path) => !isOfSolana(path) && !isCreate(path));
      const outcome = await runSchemathesis({ url, document, key: harness.key!, seed, examples, without });
      expect(outcome.code === 0 ? '' : outcome.output).toBe('');
      expect(outcome.cases).toBeGreaterThan(100);
      expect(harness.problems).toEqual([]);
    } finally {
      await harness.close();
    }
  }, 900_000);

  it(`router on Solana (seed ${seed})`, async () => {
    const world = await SolanaWorld.start({ keys: true });
    try {
      const document = (await world.get('/openapi.yaml')).text;
      const without = operationsOf(document, isOfSolana);
      const { url } = world.router;
      const outcome = await runSchemathesis({ url, document, key: world.key!, seed, examples, without });
      expect(outcome.code === 0 ? '' : outcome.output).toBe('');
      expect(outcome.cases).toBeGreaterThan(100);
      expect(world.problems).toEqual([]);
    } finally {
      await world.close();
    }
  }, 900_000);
});

/** A launchpad without a builder is a 501, as the document says. */
const isCreate = (path: string): boolean => /\/launch\/\{chain\}$/.test(path);

/** Routes that answer 503 where the chain is not served. */
const isOfSolana = (path: string): boolean => /^\/(quote|swap|swap-instructions|transactions?)$/.test(path);

/** Operations of a document whose path is none of those. */
function operationsOf(document: string, kept: (path: string) => boolean): string[] {
  const { paths } = parse(document) as { paths: Record<string, Record<string, { operationId?: string }>> };
  return Object.entries(paths)
    .filter(([path]) => !kept(path))
    .flatMap(([, methods]) => Object.values(methods).flatMap(({ operationId }) => operationId ?? []));
}
