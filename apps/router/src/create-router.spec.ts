import { createRouter, type RunningRouter } from './create-router.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('router listener', () => {
  let router: RunningRouter;
  beforeAll(async () => {
    router = await createRouter({
      config: { bind: '127.0.0.1', port: 0 },
      accounts: null,
      logger: silent,
      version: '9.9.9',
    });
  });
  afterAll(() => router.close());

  it.each(['/health', '/evm/health'])('%s is open', async (path) => {
    const answer = await fetch(router.url + path);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ status: 'ok', version: '9.9.9' });
    const head = await fetch(router.url + path, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
  });

  it.each([
    '/',
    '/evm',
    '/evm/quote',
    '/evm/build',
    '/evm/deployments',
    '/evm/health/live',
    '/evm/health/ready',
    '/quote',
  ])('%s is an unknown path', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'PATCH']) {
      const answer = await fetch(router.url + path, { method });
      expect(answer.status).toBe(404);
      const body = (await answer.json()) as Record<string, unknown>;
      expect(Object.keys(body)).toEqual(['error', 'reason']);
      expect(body.error).toBe('not_found');
    }
  });

  it('answers a wrong method with 405, Allow and an empty body', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await fetch(`${router.url}/evm/health?x=1`, { method });
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('GET');
      expect(await answer.text()).toBe('');
    }
  });

  it('reads no broken path as an error of its own', async () => {
    const answer = await fetch(`${router.url}/evm/%zz`);
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as { error: string }).error).toBe('bad_request');
  });
});
