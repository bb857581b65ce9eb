import { FencedError, LogBrokenError, TidepoolError, UndecodableError } from '#libs/core/errors.js';
import { silentLogger } from './logger.js';
import { type SupervisedStage, type SupervisedStatus, Supervisor } from './supervisor.js';

/** A supervisor without clocks: delays are recorded and pass at once, unless the test holds them. */
function setUp(): { supervisor: Supervisor; delays: number[]; changes: string[]; clock: { now: number } } {
  const delays: number[] = [];
  const changes: string[] = [];
  const clock = { now: 0 };
  const supervisor = new Supervisor({
    logger: silentLogger,
    backoff: { firstMs: 100, maxMs: 1_000, healthyMs: 60_000 },
    random: () => 1,
    now: () => clock.now,
    steady: () => clock.now,
    pause: async (ms) => void delays.push(ms),
    onChange: (status: SupervisedStatus) => changes.push(status.state),
    redact: (text) => text.replace('secret', '***'),
  });
  return { supervisor, delays, changes, clock };
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Fails in order with the given errors, then runs until it is stopped. */
function failing(name: string, errors: unknown[], before?: () => void): SupervisedStage & { settled: Promise<void> } {
  let settle = (): void => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return {
    name,
    settled,
    run: async (signal) => {
      before?.();
      if (errors.length > 0) throw errors.shift();
      settle();
      await untilAborted(signal);
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('infrastructure failures', () => {
  it('restart a stage with growing delays, for ever', async () => {
    const { supervisor, delays } = setUp();
    const stage = failing(
      'sink.eth',
      Array.from({ length: 40 }, () => new Error('connection refused')),
    );
    supervisor.start(stage);
    await stage.settled;
    expect(delays).toHaveLength(40);
    expect(delays.slice(0, 5)).toEqual([100, 200, 400, 800, 1_000]);
    expect(delays[39]).toBe(1_000);
    expect(supervisor.status()[0]).toMatchObject({ state: 'running', restarts: 40, error: { code: 'unexpected' } });
    await supervisor.stop();
    expect(supervisor.status()[0]!.state).toBe('ended');
  });

  it('start from the first delay after a healthy run', async () => {
    const { supervisor, delays, clock } = setUp();
    let runs = 0;
    // The fourth run lasts longer than a healthy one.
    const stage = failing('a', [new Error('1'), new Error('2'), new Error('3'), new Error('4')], () => {
      runs++;
    });
    const run = stage.run;
    stage.run = async (signal) => {
      if (runs === 3) clock.now += 60_000;
      await run(signal);
    };
    supervisor.start(stage);
    await stage.settled;
    expect(delays).toEqual([100, 200, 400, 100]);
    await supervisor.stop();
  });

  it('have the same pauses when the wall clock steps an hour back or forward', async () => {
    const delays: number[] = [];
    let step = 0;
    const supervisor = new Supervisor({
      ...{ logger: silentLogger, random: () => 1, backoff: { firstMs: 100, maxMs: 1_000, healthyMs: 60_000 } },
      ...{ now: () => (step++ % 3) * 3_600_000, steady: () => 0 },
      pause: async (ms) => void delays.push(ms),
    });
    const stage = failing('a', [new Error('1'), new Error('2'), new Error('3'), new Error('4')]);
    supervisor.start(stage);
    await stage.settled;
    expect(delays).toEqual([100, 200, 400, 800]);
    await supervisor.stop();
  });

  it('show their words without credentials', async () => {
    const { supervisor } = setUp();
    const stage = failing('a', [new TidepoolError('rpc', 'https://secret failed')]);
    supervisor.start(stage);
    await stage.settled;
    expect(supervisor.status()[0]!.error).toEqual({ code: 'rpc', message: 'https://*** failed', at: 0 });
    await supervisor.stop();
  });
});

describe('what trying again cannot cure', () => {
  const permanent = [new FencedError('w'), new LogBrokenError('gap'), new UndecodableError('group', 'version 9')];

  it.each(permanent.map((error) => [error.code, error] as const))(
    '%s stops the stage and only that one',
    async (code, error) => {
      const { supervisor, delays } = setUp();
      const other = failing('other', []);
      supervisor.start(failing('broken', [error]));
      supervisor.start(other);
      await other.settled;
      await turn();
      expect(delays).toEqual([]);
      expect(supervisor.status()).toMatchObject([
        { name: 'broken', state: 'stopped', error: { code } },
        { name: 'other', state: 'running' },
      ]);
      await supervisor.stop();
    },
  );

  it('continues when an operator restarts the stage', async () => {
    const { supervisor } = setUp();
    const stage = failing('project.eth', [new UndecodableError('group', 'version 9')]);
    supervisor.start(stage);
    await turn();
    expect(supervisor.status()[0]!.state).toBe('stopped');
    expect(await supervisor.restart('project.eth')).toBe(true);
    await stage.settled;
    expect(supervisor.status()[0]!.state).toBe('running');
    expect(await supervisor.restart('unknown')).toBe(false);
    await supervisor.stop();
  });
});

describe('hold and release', () => {
  it('end running stages, keep new ones from starting, and start them again', async () => {
    const { supervisor, changes } = setUp();
    let runs = 0;
    const stage = failing('sink', [], () => runs++);
    supervisor.start(stage);
    await stage.settled;
    await supervisor.hold('disk full');
    supervisor.start(failing('late', [], () => runs++));
    await turn();
    expect(supervisor.held).toBe('disk full');
    expect(supervisor.status().map(({ state }) => state)).toEqual(['held', 'held']);
    expect(runs).toBe(1);
    supervisor.release();
    await turn();
    expect(supervisor.status().map(({ state }) => state)).toEqual(['running', 'running']);
    expect(runs).toBe(3);
    expect(changes).toEqual(['running', 'ended', 'held', 'held', 'running', 'running']);
    await supervisor.stop();
  });

  it('leave a stopped stage stopped', async () => {
    const { supervisor } = setUp();
    supervisor.start(failing('broken', [new LogBrokenError('gap')]));
    await turn();
    await supervisor.hold('disk full');
    supervisor.release();
    await turn();
    expect(supervisor.status()[0]!.state).toBe('stopped');
    await supervisor.stop();
  });
});

it('refuses two stages of one name', async () => {
  const { supervisor } = setUp();
  supervisor.start(failing('a', []));
  expect(() => supervisor.start(failing('a', []))).toThrow(/runs already/);
  await supervisor.stop();
});
