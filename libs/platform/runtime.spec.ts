import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogBrokenError } from '#libs/core/errors.js';
import { connectAdmin } from './admin-client.js';
import type { KnownChain } from './config.js';
import { Runtime } from './runtime.js';

const chains: KnownChain[] = [{ slug: 'eth', aliases: ['ethereum'], networkId: 1, family: 'evm', served: true }];
const cwd = mkdtempSync(join(tmpdir(), 'tidepool-runtime-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const env = { TIDEPOOL_ADMIN_PORT: '0', TIDEPOOL_LOG_LEVEL: 'silent', TIDEPOOL_MIN_FREE_MB: '1' };

it('runs stages, shows them to operators, and closes everything in order', async () => {
  const exits: number[] = [];
  const exit = (code: number): void => void exits.push(code);
  const runtime = await Runtime.start({ app: 'all-in-one', chains, env, cwd, exit });
  const closed: string[] = [];
  runtime.shutdown.add('log', () => void closed.push('log'));
  await runtime.guardDisk();
  runtime.startStage({
    name: 'source.eth',
    run: async (signal) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      closed.push('source.eth');
    },
  });
  runtime.startStage({ name: 'project.eth', run: () => Promise.reject(new LogBrokenError('gap at 7')) });
  const admin = await runtime.serveAdmin({
    status: () => runtime.status(),
    operations: { status: async () => runtime.status() },
  });
  await new Promise((resolve) => setImmediate(resolve));

  const status = (await (await fetch(`${admin.url}/status`)).json()) as { stages: unknown[] };
  expect(status).toMatchObject({ app: 'all-in-one', pid: process.pid, ready: false, held: null });
  expect(status.stages).toMatchObject([
    { name: 'source.eth', state: 'running' },
    { name: 'project.eth', state: 'stopped', error: { code: 'log_broken', message: 'gap at 7' } },
  ]);
  const ready = (await (await fetch(`${admin.url}/ready`)).json()) as { reasons: string[] };
  expect(ready.reasons).toEqual(['project.eth: stopped, log_broken: gap at 7']);
  const metrics = await (await fetch(`${admin.url}/metrics`)).text();
  expect(metrics).toContain('tidepool_stage_running{stage="source.eth"} 1');
  expect(metrics).toContain('tidepool_stage_running{stage="project.eth"} 0');
  expect(metrics).toMatch(/process_resident_memory_bytes \d{7,}/);

  await expect(Runtime.start({ app: 'all-in-one', chains, env, cwd })).rejects.toMatchObject({
    code: 'data_folder_in_use',
  });
  await runtime.shutdown.run('test', 0);
  expect(exits).toEqual([0]);
  expect(closed).toEqual(['source.eth', 'log']);
  expect(existsSync(join(cwd, '.tidepool/instance.lock'))).toBe(false);
  expect(await connectAdmin(join(cwd, '.tidepool'))).toBeNull();
});

it('lets apps share a folder: no lock, no socket', async () => {
  const options = {
    app: 'api' as const,
    chains,
    env: { ...env, TIDEPOOL_KAFKA_BROKERS: 'k:1', CLICKHOUSE_URL: 'http://c' },
    cwd,
  };
  const runtimes = await Promise.all([0, 1].map(() => Runtime.start({ ...options, exclusive: false, exit: () => {} })));
  for (const runtime of runtimes) await runtime.serveAdmin({ status: () => ({}), operations: {} });
  expect(existsSync(join(cwd, '.tidepool/admin.sock'))).toBe(false);
  for (const runtime of runtimes) await runtime.shutdown.run('test', 0);
});
