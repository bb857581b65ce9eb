import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AdminListener, startAdminListener } from './admin-listener.js';
import type { ListenerConfig } from './config.js';
import { Health } from './health.js';
import { silentLogger } from './logger.js';
import { Metrics } from './metrics.js';

const listenerOn = (port: number, host = '127.0.0.1'): ListenerConfig => ({
  host,
  port,
  variable: 'TIDEPOOL_ADMIN_PORT',
  hostVariable: 'TIDEPOOL_ADMIN_BIND',
});

const health = new Health();
let broken = false;
const start = (listener: ListenerConfig): Promise<AdminListener> =>
  startAdminListener({
    listener,
    version: '1.2.3',
    health,
    metrics: new Metrics(),
    logger: silentLogger,
    status: () => {
      if (broken) throw new Error('secret detail');
      return { stages: [] };
    },
  });

let admin: AdminListener;
beforeAll(async () => {
  admin = await start(listenerOn(0));
});
afterAll(() => admin.close());

it('answers health, readiness with reasons, metrics and status', async () => {
  expect(await (await fetch(`${admin.url}/health`)).json()).toEqual({ status: 'ok', version: '1.2.3' });
  health.set('sink.eth', 'failing', 'waiting, unexpected: refused');
  health.set('source.eth', 'starting');
  const unready = await fetch(`${admin.url}/ready`);
  expect(unready.status).toBe(503);
  expect(await unready.json()).toEqual({
    ready: false,
    reasons: ['sink.eth: waiting, unexpected: refused', 'source.eth: starting'],
  });
  health.set('sink.eth', 'ok');
  health.remove('source.eth');
  expect((await fetch(`${admin.url}/ready`)).status).toBe(200);
  const metrics = await fetch(`${admin.url}/metrics?x=1`);
  expect(metrics.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(await (await fetch(`${admin.url}/status`)).json()).toEqual({ stages: [] });
});

it('keeps to the common rules: 404 with the routes, 405 with Allow and no body, HEAD as GET', async () => {
  const missing = await fetch(`${admin.url}/nothing`);
  expect(missing.status).toBe(404);
  expect(((await missing.json()) as { error: unknown }).error).toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('/metrics'),
  });
  const wrong = await fetch(`${admin.url}/health`, { method: 'POST', body: '{}' });
  expect([wrong.status, wrong.headers.get('allow'), await wrong.text()]).toEqual([405, 'GET, HEAD', '']);
  const head = await fetch(`${admin.url}/health`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '33', '']);
});

it('keeps an internal error to itself', async () => {
  broken = true;
  const answer = await fetch(`${admin.url}/status`);
  broken = false;
  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain('secret');
});

it('names the variable of a port in use and of an address it does not have', async () => {
  const blocker = createServer();
  await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
  const { port } = blocker.address() as AddressInfo;
  await expect(start(listenerOn(port))).rejects.toMatchObject({
    code: 'port_in_use',
    message: `TIDEPOOL_ADMIN_PORT: port ${port} on 127.0.0.1 is already in use; stop what uses it or set TIDEPOOL_ADMIN_PORT to another port (0 picks a free one)`,
  });
  await expect(start(listenerOn(0, '192.0.2.1'))).rejects.toMatchObject({
    code: 'address_unavailable',
    message: expect.stringMatching(/^TIDEPOOL_ADMIN_BIND: 192\.0\.2\.1 is not an address of this machine/),
  });
  await new Promise((resolve) => blocker.close(resolve));
});
