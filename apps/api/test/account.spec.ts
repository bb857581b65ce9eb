import { Test } from '@nestjs/testing';
import { AccountWorld } from '#libs/serve/accounts/test/account-world.js';
import type { ApiParts } from '../src/access/api-parts.js';
import { ApiModule } from '../src/api.module.js';
import { ApiListener } from '../src/api-listener.js';

describe('GET /account/usage', () => {
  const fail = async (): Promise<never> => {
    throw new Error('the log is not to be asked');
  };
  const start = async (accounts: ApiParts['accounts']) => {
    const deps: ApiParts = {
      config: { bind: '127.0.0.1', port: 0 },
      ...{ readers: new Map(), accounts, log: { ensureTopics: fail, readKeyed: fail, describe: fail } },
      ...{ cursorKey: new Uint8Array(32), version: '1.2.3' },
      logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    };
    const module = await Test.createTestingModule({ imports: [ApiModule.over(deps)] }).compile();
    const app = await module.init();
    return { app, url: app.get(ApiListener).url };
  };

  it('tells an account what it did, what it has left and when its credits come again', async () => {
    const world = new AccountWorld({ ms: Date.now() }, { rate: 50, credits: 10 });
    world.grant('g', 4);
    const { app, url } = await start(world.admission);
    try {
      const get = async (path: string) => {
        const answer = await fetch(url + path, { headers: { 'x-api-key': world.key } });
        // biome-ignore lint/suspicious/noExplicitAny: fields are looked at one by one
        return { status: answer.status, body: (await answer.json()) as any };
      };
      expect((await get('/chains')).status).toBe(200);
      expect((await get('/v1/chains')).status).toBe(200);
      expect((await get('/tokens/doge/x')).status).toBe(400);
      const { status, body } = await get('/account/usage');
      expect(status).toBe(200);
      const now = new Date();
      expect(body.data).toMatchObject({
        ...{ account: 'a', name: 'Of a spec', plan: 'Spec', ratePerSecond: 50 },
        credits: {
          ...{ remaining: 12, includedPerMonth: 10, includedSpent: 2, granted: 4, grantedSpent: 0 },
          renewsAt: Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1),
        },
        prices: world.admission.prices,
      });
      const rows = body.data.usage.map((row: { route: string; requests: number; credits: number }) => [
        ...[row.route, row.requests, row.credits],
      ]);
      expect(rows).toEqual([
        ['getChains', 2, 2],
        ['getToken', 1, 0],
      ]);
      expect(body.data.usage[0].key).toBe(world.caller.key.id);
      expect(JSON.stringify(body)).not.toContain(world.key);
      const wrong = await get('/account/usage?days=63');
      expect([wrong.status, wrong.body.error.message]).toEqual([400, 'days must be a whole number from 1 to 62']);
    } finally {
      await app.close();
    }
  });

  it('is not there where no keys are asked for, and everything else answers without one', async () => {
    const { app, url } = await start(null);
    try {
      expect((await fetch(`${url}/account/usage`)).status).toBe(404);
      const answer = await fetch(`${url}/chains`);
      expect([answer.status, answer.headers.get('ratelimit-limit')]).toEqual([200, null]);
    } finally {
      await app.close();
    }
  });
});
