import { MemoryHeldQuotes } from '../../src/held/memory-held-quotes.js';
import type { LaunchDeps } from '../../src/launch/launch-deps.js';
import { createRouter, ownLaunch, type RouterParts, type RunningRouter } from '../create-router.js';
import { noReceipts } from '../no-receipts.js';

export interface LaunchReply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are compared field by field
  body: any;
}

/** The router's real listener with launches alone: a create brings its own node. */
export class LaunchWorld {
  private constructor(
    readonly router: RunningRouter,
    readonly clock: { ms: number },
    /** What the listener logged as errors. */
    readonly problems: object[],
  ) {}

  static async start(launch: Partial<LaunchDeps> = {}, more: Partial<RouterParts> = {}): Promise<LaunchWorld> {
    const clock = { ms: Date.now() };
    const now = () => clock.ms;
    const problems: object[] = [];
    const router = await createRouter({
      // A starved machine is no reason for another answer.
      requestTimeoutMs: 300_000,
      ...{ accounts: null, held: new MemoryHeldQuotes({ now }), now, receipts: noReceipts, chains: [] },
      logger: { info: () => undefined, warn: () => undefined, error: (fields) => void problems.push(fields) },
      version: '1.2.3',
      launch: { ...ownLaunch(now), exchangeMs: 120_000, ...launch },
      ...more,
    });
    return new LaunchWorld(router, clock, problems);
  }

  get sampleImage(): string {
    return `${this.router.url}/launch/files/sample.png`;
  }

  async get(path: string, init: RequestInit = {}): Promise<LaunchReply> {
    const response = await fetch(this.router.url + path, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  post(path: string, body: unknown): Promise<LaunchReply> {
    return this.get(path, { method: 'POST', body: JSON.stringify(body) });
  }

  close(): Promise<void> {
    return this.router.close();
  }
}

/** A refusal in the envelope of the launch routes. */
export const refused = (code: string, message: RegExp | string = /./) => ({
  ...{ ok: false, data: null, nextCursor: null },
  error: { code, message: typeof message === 'string' ? message : expect.stringMatching(message) },
});
