import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';
import { emptyTrades, followTrades, type TradeList } from '#libs/serve/client/follow-trades.js';
import { LiveClient } from '#libs/serve/client/live-client.js';
import type { ClientSocketClass } from '#libs/serve/client/web-socket.js';
import type { TradeBody, TradesAnswer } from '#libs/serve/contract/rest/trade-body.js';
import { rowProblem, type SwapLedger } from './swap-ledger.js';
import type { Marks } from './versions.js';

const PAGE = 20;
/** Between two pages of a list: a reader without a rest takes the processor from what is built meanwhile. */
const PAGE_REST_MS = 60;

export interface Address {
  url: string;
  key: string;
}

/** A list that was begun: its cursor continues to read the same state. */
export interface BegunWalk {
  hash: string;
  rows: TradeBody[];
  next: string | null;
}

/** The service answered a cursor with a refusal: that list cannot be read on. */
export class WalkRefused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(`the cursor was refused: ${status} ${code}`);
  }
}

/** Reads pages of a token's trades; asks again while no program answers. */
export class PageWalker {
  /** Walks that came to their end, and those that a new program refused to read on. */
  walked = 0;
  refused = new Map<string, number>();
  readonly problems: string[] = [];

  constructor(
    private readonly address: () => Address,
    private readonly ledger: SwapLedger,
    private readonly signal: AbortSignal,
  ) {}

  /** Walks over and over until the signal. */
  async run(): Promise<void> {
    while (!this.signal.aborted) {
      try {
        const walk = await this.begin();
        await this.finish(walk, PAGE_REST_MS);
      } catch (error) {
        if (this.signal.aborted) return;
        if (!(error instanceof WalkRefused)) throw error;
        this.refused.set(error.code, (this.refused.get(error.code) ?? 0) + 1);
      }
    }
  }

  async begin(): Promise<BegunWalk> {
    const { data, next, meta } = await this.page(null);
    return { hash: meta.blockHash, rows: data, next };
  }

  /** Reads to the end and compares. */
  async finish(walk: BegunWalk, pauseMs = 0, marks?: Marks): Promise<void> {
    const { hash, rows } = walk;
    for (let { next } = walk; next !== null; ) {
      await sleep(pauseMs);
      const page = await this.page(next);
      if (page.meta.blockHash !== hash) this.problems.push(`a page of ${hash} answers for ${page.meta.blockHash}`);
      rows.push(...page.data);
      next = page.next;
    }
    const expected = this.ledger.at(hash);
    const problem = expected === null ? 'an unknown block' : rowProblem(rows, expected, { whole: true, marks });
    if (problem !== null) this.problems.push(`pages at ${hash}: ${problem}`);
    this.walked++;
  }

  async page(cursor: string | null): Promise<TradesAnswer> {
    for (;;) {
      this.signal.throwIfAborted();
      const { url, key } = this.address();
      const query = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const path = `${url}/tokens/eth/${this.ledger.token}/trades?limit=${PAGE}${query}`;
      let response: Response;
      let text: string;
      try {
        response = await fetch(path, { headers: { 'x-api-key': key }, signal: AbortSignal.timeout(10_000) });
        text = await response.text();
      } catch {
        await sleep(50); // no program listens
        continue;
      }
      if (response.status === 200) return JSON.parse(text) as TradesAnswer;
      const { code = '' } = JSON.parse(text) as { code?: string };
      if (response.status === 404 && cursor === null) await sleep(50);
      else if (response.status >= 500 || response.status === 429) await sleep(50);
      else throw new WalkRefused(response.status, code);
    }
  }
}

/** Follows the frames of a token's trades over one connection after the other; every frame is compared. */
export class FrameFollower {
  private readonly client: LiveClient;
  list: TradeList = emptyTrades();
  frames = 0;
  snapshots = 0;
  readonly problems: string[] = [];

  constructor(
    { url, key }: Address,
    private readonly ledger: SwapLedger,
  ) {
    this.client = new LiveClient({
      ...{ url: `${url.replace('http', 'ws')}/ws`, apiKey: key, retryMs: 50, maxRetryMs: 500 },
      WebSocket: WebSocket as unknown as ClientSocketClass,
    });
    this.client.subscribe({ channel: 'trades', chain: 'eth', token: ledger.token }, (frame) => {
      this.frames++;
      if (frame.type === 'snapshot') this.snapshots++;
      this.list = followTrades(this.list, frame);
      const problem = this.problem();
      if (problem !== null) this.problems.push(`after ${frame.type}: ${problem}`);
    });
  }

  /** At the block of the newest frame, or at a later one: blocks without a trade of the token send none. */
  problem(marks?: Marks, at?: string): string | null {
    const { meta, trades } = this.list;
    if (meta === null) return at === undefined ? null : 'no snapshot';
    const hash = at ?? meta.blockHash;
    const expected = this.ledger.at(hash);
    if (expected === null) return `an unknown block ${hash}`;
    return rowProblem(trades, expected, { whole: false, marks });
  }

  close(): void {
    this.client.close();
  }
}
