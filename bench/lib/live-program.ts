import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { YOUNG_SPACE } from './as-started.js';
import { endWithUs } from './no-orphans.js';

/**
 * The all-in-one as people run it, seen from outside: its addresses are read from its log. Its data folder belongs to the
 * caller that names it.
 */
export interface LiveProgram {
  readonly pid: number;
  readonly api: string;
  readonly sockets: string;
  readonly key: string;
  /** Milliseconds from the start of the process until it listened. */
  readonly listeningMs: number;
  /** On the clock of performance.now(). */
  readonly startedAt: number;
  stop(): Promise<void>;
}

/** What `npm start` runs. */
export const LAUNCHER = join(import.meta.dirname, '../../../scripts/start.mjs');

const PORTS = ['BASE', 'SOL', 'RELAY', 'API', 'WS', 'RPC', 'ADMIN'].map((name) => [`TIDEPOOL_${name}_PORT`, '0']);

export async function startProgram(options: {
  /** The program itself, or the launcher behind `npm start`. */
  script: string;
  dataDir: string;
  env?: Record<string, string>;
}): Promise<LiveProgram> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [YOUNG_SPACE, options.script], {
    env: {
      ...process.env,
      ...{ UV_THREADPOOL_SIZE: '16', TIDEPOOL_LOG_FORMAT: 'json', TIDEPOOL_DATA_DIR: options.dataDir },
      ...{ TIDEPOOL_CHAINS: 'eth', TIDEPOOL_DEMO_RATE: '0' },
      ...Object.fromEntries(PORTS),
      ...options.env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  endWithUs(child, 'SIGTERM');
  const { api, ws } = await listening(child);
  return {
    pid: child.pid!,
    api,
    sockets: ws,
    key: readFileSync(join(options.dataDir, 'demo-key'), 'utf8').trim(),
    listeningMs: performance.now() - startedAt,
    startedAt,
    stop: () => stopped(child),
  };
}

function listening(child: ChildProcess): Promise<{ api: string; ws: string }> {
  return new Promise((done, failed) => {
    const lines: string[] = [];
    createInterface({ input: child.stderr! }).on('line', (line) => {
      lines.push(line);
      if (line.includes('"msg":"listening"')) done(JSON.parse(line) as { api: string; ws: string });
    });
    child.once('error', failed);
    child.once('exit', (code) => failed(new Error(`the program ended with ${code}\n${lines.slice(-20).join('\n')}`)));
  });
}

function stopped(child: ChildProcess): Promise<void> {
  return new Promise((done) => {
    if (child.exitCode !== null || child.signalCode !== null) return done();
    child.once('exit', () => done());
    child.kill('SIGTERM');
  });
}
