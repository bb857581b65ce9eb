import { silentLogger } from './logger.js';
import { Shutdown } from './shutdown.js';

function setUp(timeoutMs = 10_000): { shutdown: Shutdown; exits: number[]; clock: { now: number } } {
  const exits: number[] = [];
  const clock = { now: 0 };
  const exit = (code: number): void => void exits.push(code);
  return { shutdown: new Shutdown({ logger: silentLogger, timeoutMs, exit, now: () => clock.now }), exits, clock };
}

it('closes in reverse order, one after the other, and keeps the code', async () => {
  const { shutdown, exits } = setUp();
  const order: string[] = [];
  for (const name of ['folder', 'log', 'stages']) {
    shutdown.add(name, async () => {
      order.push(`${name} begins`);
      await Promise.resolve();
      order.push(`${name} ends`);
    });
  }
  expect(shutdown.signal.aborted).toBe(false);
  await shutdown.run('done', 3);
  expect(order).toEqual(['stages begins', 'stages ends', 'log begins', 'log ends', 'folder begins', 'folder ends']);
  expect(shutdown.signal.aborted).toBe(true);
  expect(exits).toEqual([3]);
});

it('continues after a step that fails, and says so in the exit code', async () => {
  const { shutdown, exits } = setUp();
  let closed = false;
  shutdown.add('folder', () => {
    closed = true;
  });
  shutdown.add('log', () => Promise.reject(new Error('cannot flush')));
  await shutdown.run('SIGTERM', 0);
  expect([closed, exits]).toEqual([true, [1]]);
});

it('runs once, however often it is asked', async () => {
  const { shutdown, exits } = setUp();
  let closed = 0;
  shutdown.add('log', () => void closed++);
  await Promise.all([shutdown.run('a', 0), shutdown.run('b', 7)]);
  expect([closed, exits]).toEqual([1, [0]]);
});

it('takes one Ctrl-C that arrives twice for one, and a later one as an order to end at once', () => {
  const { shutdown, exits, clock } = setUp();
  shutdown.add('stages', () => new Promise(() => {}));
  shutdown.onSignal('SIGINT');
  clock.now = 100;
  shutdown.onSignal('SIGINT');
  expect(exits).toEqual([]);
  clock.now = 2_000;
  shutdown.onSignal('SIGINT');
  expect(exits).toEqual([130]);
});

it('ends after the time limit, whatever hangs', async () => {
  const exited = new Promise<number>((resolve) => {
    const shutdown = new Shutdown({ logger: silentLogger, timeoutMs: 20, exit: resolve });
    shutdown.add('hanging', () => new Promise(() => {}));
    void shutdown.run('SIGTERM', 0);
  });
  expect(await exited).toBe(1);
});
