import { type ChildProcess, spawn } from 'node:child_process';
import { type AddressInfo, connect, createServer } from 'node:net';
import { until } from './until.js';

/** A server that a suite runs as a process of its own: it is there once its port is, and never outlives the suite. */
export async function startGuarded(options: {
  child: ChildProcess;
  port: number;
  startMs: number;
  /** What to say of a server that did not start. */
  problem: () => string;
}): Promise<ChildProcess> {
  const { child, port, startMs, problem } = options;
  guard(child);
  const listens = async (): Promise<boolean> => {
    if (await accepts(port)) return true;
    if (child.exitCode !== null) throw new Error('it ended');
    return false;
  };
  try {
    await until('its port', listens, { everyMs: 50, patienceMs: startMs });
  } catch (cause) {
    child.kill('SIGKILL');
    throw new Error(problem(), { cause });
  }
  return child;
}

/** Kills the server when this process is gone, however it ended: then the guard's standard input closes. */
function guard(server: ChildProcess): void {
  const script = 'cat >/dev/null; kill -9 "$0"';
  const watching = spawn('sh', ['-c', script, String(server.pid)], { stdio: ['pipe', 'ignore', 'ignore'] });
  server.once('exit', () => watching.kill('SIGKILL'));
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
