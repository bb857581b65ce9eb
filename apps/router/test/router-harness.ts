import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { type RoutedVenue, routedVenues } from '#libs/chain/market-ports/chain-spec.js';
import { accountsWithoutLimits } from '#libs/devkit/testing/local-accounts.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import type { RequestClock } from '#libs/serve/http/request-limits.js';
import type { HeldQuotes } from '../src/held/held-quotes.js';
import { MemoryHeldQuotes } from '../src/held/memory-held-quotes.js';
import { createRouter, type RouterParts, type RunningRouter } from './create-router.js';
import { noReceipts } from './no-receipts.js';
import { TestChain } from './test-chain.js';
import { pairPool, rangePool, token } from './test-pools.js';

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are compared field by field
  body: any;
}

/** The chains that the harness fills: its router has these and no other. */
export type Slug = 'eth' | 'bsc' | 'base' | 'chaind';
export const slugs: readonly Slug[] = ['eth', 'bsc', 'base', 'chaind'];
export const COIN = `0x${'e'.repeat(40)}`;
export const WALLET = `0x${'a1'.repeat(20)}`;

export interface HarnessOptions {
  held?: (now: () => number) => HeldQuotes;
  receipts?: RouterParts['receipts'];
  keys?: boolean;
  requestTimeoutMs?: number;
  clock?: RequestClock;
}

/**
 * The router's real listener over chains of tests, with a clock of its own. On every chain the coin has pairs with
 * `a` (twice: one hop on both protocols) and `a` one with `b`, `b` one with `c`; `lonely` has no pool.
 */
export class RouterHarness {
  readonly a = token(0xa1);
  readonly b = token(0xb2);
  readonly c = token(0xc3);
  readonly lonely = token(0xd4);

  private constructor(
    readonly router: RunningRouter,
    readonly chains: Readonly<Record<Slug, TestChain>>,
    readonly held: HeldQuotes,
    readonly key: string | null,
    readonly clock: { ms: number },
    /** What the listener logged as errors. */
    readonly problems: object[],
    private readonly dispose: () => Promise<void>,
  ) {}

  static async start(options: HarnessOptions = {}): Promise<RouterHarness> {
    const clock = { ms: Date.now() };
    const now = () => clock.ms;
    const chains = Object.fromEntries(slugs.map((slug) => [slug, new TestChain(chainSpec(slug)!, now)]));
    const held = options.held?.(now) ?? new MemoryHeldQuotes({ now });
    const dataDir = await mkdtemp(join(tmpdir(), 'tidepool-router-'));
    const accounts = options.keys ? await accountsWithoutLimits(dataDir) : null;
    const problems: object[] = [];
    const router = await createRouter({
      requestTimeoutMs: options.requestTimeoutMs,
      ...{ accounts, held, now, receipts: options.receipts ?? noReceipts, clock: options.clock },
      logger: { info: () => undefined, warn: () => undefined, error: (fields) => void problems.push(fields) },
      version: '1.2.3',
      chains: slugs.map((slug) => chains[slug]!),
    });
    const key = accounts?.demo.key ?? null;
    const harness = new RouterHarness(
      router,
      chains as Record<Slug, TestChain>,
      held,
      key,
      clock,
      problems,
      async () => {
        await router.close();
        await removeFolder(dataDir);
      },
    );
    for (const slug of slugs) harness.fill(slug);
    return harness;
  }

  chain(slug: Slug): TestChain {
    return this.chains[slug];
  }

  async get(path: string, init: RequestInit & { key?: string | null } = {}): Promise<Reply> {
    const { key = this.key, ...rest } = init;
    const headers = { ...(key === null ? {} : { 'x-api-key': key }), ...(rest.headers as object) };
    const response = await fetch(this.router.url + path, { ...rest, headers });
    const text = await response.text();
    const json = text !== '' && response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : null };
  }

  post(path: string, body: unknown, init: RequestInit & { key?: string | null } = {}): Promise<Reply> {
    return this.get(path, { ...init, method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) });
  }

  /** A quote by its parameters over the usual ones: 10^18 of the coin into `a` on eth. */
  quote(parameters: Record<string, string> = {}): Promise<Reply> {
    return this.get(`/evm/quote?${new URLSearchParams({ ...this.usual(), ...parameters })}`);
  }

  usual(): Record<string, string> {
    return { chain: 'eth', inputMint: 'native', outputMint: `0x${this.a}`, amount: '1000000000000000000' };
  }

  close(): Promise<void> {
    return this.dispose();
  }

  private fill(slug: Slug): void {
    const services = this.chains[slug];
    const coin = services.spec.wrappedNative.token;
    const [v2, v3] = routedVenues(services.spec) as [RoutedVenue, RoutedVenue];
    const { fee } = v2.contracts;
    const ppm = ((fee!.denominator - fee!.numerator) * 1_000_000) / fee!.denominator;
    const unit = 10n ** 18n;
    services.mine([
      pairPool(v2.venue, ppm, [coin, 1_000n * unit], [this.a, 3_000_000n * unit]),
      pairPool(v2.venue, ppm, [this.a, 5_000_000n * unit], [this.b, 2_000_000n * unit]),
      pairPool(v2.venue, ppm, [this.b, 1_000_000n * unit], [this.c, 9_000_000n * unit]),
      rangePool(v3.venue, 500, 10, coin, this.a, 10n ** 24n),
      rangePool(v3.venue, 3000, 60, this.a, this.b, 10n ** 24n),
    ]);
  }
}
