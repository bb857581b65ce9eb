import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { freePort, startGuarded } from '#libs/devkit/testing/guarded-server.js';
import { describeUnlessMissing } from '#libs/devkit/testing/requirements.js';

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

const START_MS = 120_000;

/** Why no Redis can be started here, or null when one can. */
function redisMissing(): string | null {
  const found = spawnSync('redis-server', ['--version']).status === 0;
  return found ? null : 'no redis-server (apt-get install redis-server)';
}

/** `describe` for suites that need a Redis. */
export function describeWithRedis(name: string, body: () => void): void {
  describeUnlessMissing(redisMissing(), name, body);
}

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
