import { ApiError } from '#libs/serve/client/api-error.js';
import type { TradeList } from '#libs/serve/client/follow-trades.js';
import type { TradesFrame } from '#libs/serve/client/live-frame.js';
import type { TradesRequest } from '#libs/serve/client/live-subscription.js';
import type { RestClient } from '#libs/serve/client/rest-client.js';
import type { TradeBody } from '#libs/serve/contract/rest/trade-body.js';
import { isOpen, passes, type TapeFilter } from '../shown/tape-filter.js';

/** A rare trade may be many pages back; the tape does not look further than this. */
const MOST_PAGES = 5;

const placeOf = ({ signature, wallet }: { signature: string; wallet: string }): string => `${signature} ${wallet}`;

/**
 * Trades that pass a filter and are older than what the live list holds, newest first. Invariant: with those of the list
 * that pass they are the newest ones of all that do. Read after a snapshot, then kept from what leaves the list.
 */
export class OlderTrades {
  rows: readonly TradeBody[] = [];
  private reading: AbortController | null = null;

  constructor(
    private readonly rest: Pick<RestClient, 'trades'>,
    private readonly about: TradesRequest,
    private readonly limit: number,
    private readonly changed: () => void,
  ) {}

  stop(): void {
    this.reading?.abort();
    this.reading = null;
  }

  /** Follows the list from one frame to the next; the answer is what the frame took back of these. */
  follow(frame: TradesFrame, before: TradeList, list: TradeList, filter: TapeFilter): readonly TradeBody[] {
    if (isOpen(filter)) return [];
    if (frame.type === 'snapshot') this.read(list, filter);
    else if (frame.type === 'retract') return this.takeBack(new Set(frame.data.map(placeOf)), list, filter);
    else if (frame.type === 'trades') {
      const held = new Set(list.trades.map(({ id }) => id));
      const left = before.trades.filter(({ id }) => !held.has(id)).filter(passes(filter));
      if (left.length > 0) this.rows = [...left, ...this.rows].slice(0, this.limit);
    }
    return [];
  }

  /** Begins again, with another filter or after a snapshot. */
  read(list: TradeList, filter: TapeFilter): void {
    this.stop();
    this.rows = [];
    if (isOpen(filter) || list.meta === null) return;
    const reading = new AbortController();
    this.reading = reading;
    void this.load(reading, list, filter);
  }

  private takeBack(gone: ReadonlySet<string>, list: TradeList, filter: TapeFilter): readonly TradeBody[] {
    const lost = this.rows.filter((trade) => gone.has(placeOf(trade)));
    if (lost.length > 0) this.rows = this.rows.filter((trade) => !gone.has(placeOf(trade)));
    // What is being read may be from before.
    if (this.reading !== null) this.read(list, filter);
    return lost;
  }

  private async load(reading: AbortController, list: TradeList, { side, minUsd }: TapeFilter): Promise<void> {
    const { chain, token } = this.about;
    const query = { side: side ?? undefined, minUsd: minUsd ?? undefined, limit: this.limit };
    const held = new Set(list.trades.map(({ id }) => id));
    const oldest = list.trades.at(-1)?.block ?? Number.POSITIVE_INFINITY;
    const found: TradeBody[] = [];
    try {
      let cursor: string | undefined;
      for (let page = 0; page < MOST_PAGES; page++) {
        const { data, next } = await this.rest.trades(chain, token, { ...query, cursor }, { signal: reading.signal });
        found.push(...data.filter(({ id, block }) => block <= oldest && !held.has(id)));
        if (next === null || found.length >= this.limit) break;
        cursor = next;
      }
    } catch (error) {
      // It was given up, or the next snapshot asks again.
      if (!reading.signal.aborted && !(error instanceof ApiError)) throw error;
    }
    if (reading.signal.aborted) return;
    this.reading = null;
    // Those that left the list meanwhile are the newer ones.
    const ids = new Set(this.rows.map(({ id }) => id));
    this.rows = [...this.rows, ...found.filter(({ id }) => !ids.has(id))].slice(0, this.limit);
    this.changed();
  }
}
