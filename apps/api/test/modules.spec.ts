import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Test } from '@nestjs/testing';
import { accountsWithoutLimits } from '#libs/devkit/testing/local-accounts.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { HealthBody } from '#libs/serve/contract/rest/health-body.js';
import { declareRoute } from '#libs/serve/contract/route-declaration.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import type { FeatureClass } from '#libs/serve/http/route-feature.js';
import type { ApiParts } from '../src/access/api-parts.js';
import { ApiModule } from '../src/api.module.js';
import { ApiListener } from '../src/api-listener.js';
import { channelClasses, Feature } from '../src/feature/feature.js';
import { features } from '../src/features.js';
import { IngestFollower } from '../src/status/ingest-follower.js';
import { HealthRoute } from '../src/status/status.feature.js';

/** The api as Nest composes it: providers are overridden, hooks open and close what they should. */
describe('the api as a Nest application', () => {
  let dataDir: string;
  let deps: ApiParts;
  let key: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tidepool-modules-'));
    const accounts = await accountsWithoutLimits(dataDir);
    key = accounts.demo.key;
    deps = {
      config: { bind: '127.0.0.1', port: 0 },
      readers: new Map(),
      accounts,
      log: { ensureTopics: fail, readKeyed: fail, describe: fail },
      cursorKey: new Uint8Array(32),
      logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
      version: '1.2.3',
    };
  });
  afterEach(() => removeFolder(dataDir));

  const fail = async (): Promise<never> => {
    throw new Error('the log is not to be asked');
  };

  it('takes a provider that a test overrides, listens from its start and no longer after its end', async () => {
    const topics = [{ name: 'facts.eth.e1.f1', records: 7, bytes: 9, firstSeq: 0, lastSeq: 6 }];
    const known = { look: async () => undefined, of: () => null, topics: () => topics, answers: true };
    const module = await Test.createTestingModule({ imports: [ApiModule.over(deps)] })
      .overrideProvider(IngestFollower)
      .useValue(known)
      .compile();
    const app = await module.init();
    const { url } = app.get(ApiListener);
    const status = await fetch(`${url}/status`, { headers: { 'x-api-key': key } });
    expect(((await status.json()) as { data: { topics: unknown } }).data.topics).toEqual(topics);
    await app.close();
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });

  it('does not start with a route that two features declare, in whatever spelling, or with a channel twice', async () => {
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
    @Feature({ routes: [Another] })
    class AnotherFeature {}
    const start = async (all: readonly FeatureClass[]) => {
      const module = await Test.createTestingModule({ imports: [ApiModule.over(deps, all)] }).compile();
      return module.init();
    };
    await expect(start([...features, AnotherFeature])).rejects.toThrow('route GET /health is registered twice');

    const channels = features.filter((feature) => feature.name === 'TradesFeature');
    @Feature({ channels: channelClasses(channels) })
    class SameChannel {}
    await expect(start([...features, SameChannel])).rejects.toThrow('live channel trades is registered twice');

    @Feature({ routes: [HealthRoute] })
    class SameRoute {}
    await expect(start([...features, SameRoute])).rejects.toThrow('two routes are called getHealth');
  });
});
