import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { freePort, startGuarded } from '#libs/testing/guarded-server.js';

/** A real Redis for tests, on loopback and a port that was free; it keeps nothing on disk. */
export interface RedisServer {
  readonly url: string;
  /** Silent but alive: it accepts and says nothing. */
  freeze(): void;
  thaw(): void;
  kill9(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const START_MS = 20_000;

/** Why no Redis can be started here, or null when one can. */
export function redisMissing(): string | null {
  const found = spawnSync('redis-server', ['--version']).status === 0;
  return found ? null : 'no redis-server (apt-get install redis-server)';
}

/**
 * `describe` for suites that need a Redis. Without one they are skipped, loudly; where TIDEPOOL_REQUIRE_REAL=1 says that it
 * must be there (CI), its absence is a failure.
 */
export function describeWithRedis(name: string, body: () => void): void {
  const missing = redisMissing();
  if (missing === null) {
    describe(name, body);
  } else if (process.env.TIDEPOOL_REQUIRE_REAL === '1') {
    describe(name, () => {
      test('a real Redis can be started', () => {
        throw new Error(missing);
      });
    });
  } else {
    console.warn(skippedLine(name, missing));
    describe.skip(name, body);
  }
}

/** Built away from the call: jest prints the source around a warning, and the test script counts these lines. */
const skippedLine = (name: string, reason: string): string => `SKIPPED: ${name}: ${reason}`;

export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  let server = await run(port);
  const end = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const gone = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await gone;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    kill9: end,
    restart: async () => {
      await end();
      server = await run(port);
    },
    stop: end,
  };
}

async function run(port: number): Promise<ChildProcess> {
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', options, { stdio: 'ignore' });
  const problem = () => `redis-server did not start on port ${port}`;
  return startGuarded({ child, port, startMs: START_MS, problem });
}
