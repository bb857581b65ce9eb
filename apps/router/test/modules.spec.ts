import { Test } from '@nestjs/testing';
import { HealthBody } from '#libs/serve/contract/rest/health-body.js';
import { declareRoute } from '#libs/serve/contract/route-declaration.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { type FeatureClass, RouteFeature } from '#libs/serve/http/route-feature.js';
import { features } from '../src/features.js';
import { MemoryHeldQuotes } from '../src/held/memory-held-quotes.js';
import { RouterListener } from '../src/router-listener.js';
import { HealthRoute } from '../src/status/status.feature.js';
import { createRouter, type RouterParts, routerOver } from './create-router.js';
import { noReceipts } from './no-receipts.js';

/** The router as Nest composes it: hooks open and close the listener, features say what it serves. */
describe('the router as a Nest application', () => {
  const parts: RouterParts = {
    ...{ accounts: null, chains: [], held: new MemoryHeldQuotes(), receipts: noReceipts },
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    version: '1.2.3',
  };

  it('listens from its start and no longer after its end', async () => {
    const module = await Test.createTestingModule({ imports: routerOver(parts) }).compile();
    const listener = module.get(RouterListener, { strict: false });
    expect(listener.url).toBeNull();
    const app = await module.init();
    const health = `${listener.url}/health`;
    expect(await (await fetch(health)).json()).toEqual({ status: 'ok', version: '1.2.3' });
    await app.close();
    await expect(fetch(health)).rejects.toThrow();
  });

  it('says what the process makes of a port that is taken', async () => {
    const first = await createRouter(parts);
    try {
      const port = Number(new URL(first.url).port);
      const explain = (error: unknown) => new Error(`explained: ${(error as NodeJS.ErrnoException).code}`);
      const second = createRouter({ ...parts, place: { port, explain } });
      await expect(second).rejects.toThrow('explained: EADDRINUSE');
      await expect(createRouter({ ...parts, place: { port } })).rejects.toThrow('EADDRINUSE');
    } finally {
      await first.close();
    }
  });

  it('does not start with a route that two features declare, or with a class that is no feature', async () => {
    const declaration = declareRoute({
      ...{ id: 'another', method: 'GET', path: '/health', summary: 'Another', answer: HealthBody },
      ...{ errors: [], access: 'open', cost: 'free', cache: 'tagged' },
    });
    @Route(declaration)
    class Another implements RouteHandler {
      handle(): Answer {
        return Answer.json({});
      }
    }
    @RouteFeature({ routes: [Another] })
    class SamePath {}
    @RouteFeature({ routes: [HealthRoute] })
    class SameRoute {}
    class NoFeature {}
    const start = async (more: FeatureClass) => {
      const module = await Test.createTestingModule({
        imports: routerOver(parts, [...features, more]),
      }).compile();
      return module.init();
    };
    await expect(start(SamePath)).rejects.toThrow('route GET /health is registered twice');
    await expect(start(SameRoute)).rejects.toThrow('two routes are called getHealth');
    await expect(start(NoFeature)).rejects.toThrow('NoFeature is not declared as a feature');
  });
});
