import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Broadcast } from './fan-out.js';
import { endWithUs } from './no-orphans.js';
import { freePort } from './postgres.js';

/**
 * Centrifugo, a broadcast server in Go, as a process of its own: one channel, publications over its HTTP interface, no history. It is
 * built with the Go of the machine at a pinned version.
 */
const VERSION = 'v6.9.1';
const MODULE = `github.com/centrifugal/centrifugo/v6@${VERSION}`;
const KEY = 'bench';
const TICKS = 100;

export function buildCentrifugo(): string {
  const folder = resolve(join('.cache/bench-peers', `centrifugo-${VERSION}`));
  const binary = join(folder, 'centrifugo');
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  execFileSync('go', ['install', MODULE], {
    env: { ...process.env, GOBIN: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return binary;
}

export async function startCentrifugo(textOf: (n: number) => string): Promise<Broadcast> {
  const port = await freePort();
  const env = {
    ...process.env,
    CENTRIFUGO_HTTP_SERVER_ADDRESS: '127.0.0.1',
    CENTRIFUGO_HTTP_SERVER_PORT: String(port),
    CENTRIFUGO_HTTP_API_KEY: KEY,
    CENTRIFUGO_CLIENT_ALLOWED_ORIGINS: '*',
    CENTRIFUGO_CLIENT_INSECURE: 'true',
    // The sockets answer no pings.
    CENTRIFUGO_CLIENT_PING_INTERVAL: '2h',
    CENTRIFUGO_CLIENT_PONG_TIMEOUT: '1h',
    // On a busy machine sockets are read late: none of them is to be cut.
    CENTRIFUGO_CLIENT_QUEUE_MAX_SIZE: String(64 * 1024 * 1024),
    CENTRIFUGO_WEBSOCKET_WRITE_TIMEOUT: '60s',
    CENTRIFUGO_HEALTH_ENABLED: 'true',
    CENTRIFUGO_LOG_LEVEL: 'error',
  };
  const child = spawn(buildCentrifugo(), [], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  endWithUs(child);
  const base = `http://127.0.0.1:${port}`;
  while (!(await isUp(`${base}/health`))) await delay(50);
  const dispatcher = new Agent({ connections: 1, pipelining: 1 });
  let tail: Promise<unknown> = Promise.resolve();
  const post = async (n: number): Promise<void> => {
    const body = `{"channel":"bench","data":${textOf(n)}}`;
    const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
    const answer = await request(`${base}/api/publish`, { method: 'POST', headers, body, dispatcher });
    const text = await answer.body.text();
    if (answer.statusCode !== 200 || text.includes('"error"'))
      throw new Error(`centrifugo refused a publication: ${text}`);
  };
  return {
    port,
    publish: (n) => {
      tail = tail.then(() => post(n));
    },
    frameBytes: () => Buffer.byteLength(`{"push":{"channel":"bench","pub":{"data":${textOf(0)}}}}`) + 4,
    cpuSeconds: () => {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
      return (Number(fields[11]) + Number(fields[12])) / TICKS;
    },
    memory: () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'latin1');
      return { heap: null, rss: Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]) * 1024 };
    },
  };
}

const isUp = (url: string): Promise<boolean> =>
  request(url).then(
    ({ statusCode, body }) => body.dump().then(() => statusCode === 200),
    () => false,
  );
