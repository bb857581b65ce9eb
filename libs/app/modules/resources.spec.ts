import { silentLogger } from '#libs/platform/logger.js';
import { Shutdown } from '#libs/platform/shutdown.js';
import { Resources } from './resources.js';

function setUp() {
  const exits: number[] = [];
  const shutdown = new Shutdown({ logger: silentLogger, timeoutMs: 10_000, exit: (code) => void exits.push(code) });
  const resources = new Resources(shutdown);
  const closed: string[] = [];
  const open = (name: string) => resources.opened(name, name, (opened) => void closed.push(opened));
  return { exits, shutdown, resources, closed, open };
}

it('closes what was opened last first, once', async () => {
  const { shutdown, resources, closed, open, exits } = setUp();
  expect(open('log')).toBe('log');
  open('store');
  await resources.onApplicationShutdown();
  expect(closed).toEqual(['store', 'log']);
  await shutdown.run('the end', 0);
  expect(closed).toEqual(['store', 'log']);
  expect(exits).toEqual([0]);
});

it('is closed by the end of the process when no application has started', async () => {
  const { shutdown, closed, open } = setUp();
  open('log');
  open('store');
  await shutdown.run('the start failed', 1);
  expect(closed).toEqual(['store', 'log']);
});

it('goes on after one that cannot be closed, and the process ends with a failure', async () => {
  const { shutdown, resources, closed, open, exits } = setUp();
  open('log');
  resources.opened('store', 'store', () => Promise.reject(new Error('cannot flush')));
  await resources.onApplicationShutdown();
  await shutdown.run('the end', 0);
  expect(closed).toEqual(['log']);
  expect(exits).toEqual([1]);
});
