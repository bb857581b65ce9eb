import { type ChildProcess, spawn } from 'node:child_process';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

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
  const deadline = Date.now() + startMs;
  while (!(await accepts(port))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(problem());
    }
    await sleep(50);
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
