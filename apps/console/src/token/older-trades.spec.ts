import { SeededRandom, testScale as scale } from '#libs/devkit/testing/seeded-random.js';
import { emptyTrades, followTrades } from '#libs/serve/client/follow-trades.js';
import type { TradesFrame } from '#libs/serve/client/live-frame.js';
import type { RestClient } from '#libs/serve/client/rest-client.js';
import type { TradeBody } from '#libs/serve/contract/rest/trade-body.js';
import { passes, type TapeFilter } from '../shown/tape-filter.js';
import { OlderTrades } from './older-trades.js';

const LIMIT = 8;
const SNAPSHOT = 6;

/** The service's trades, newest first, with its live channel and its REST route. */
class Market {
  trades: TradeBody[] = [];
  private readonly views: (readonly TradeBody[])[] = [];
  private made = 0;
  private height = 0;
  tell: (frame: TradesFrame) => void = () => undefined;

  constructor(private readonly random: SeededRandom) {
    for (let n = random.int(0, 20); n > 0; n--) this.append();
  }

  readonly rest = {
    trades: async (_chain: string, _token: string, query: Query, { signal }: { signal: AbortSignal }) => {
      const filter = { side: query.side ?? null, minUsd: query.minUsd ?? null };
      // The pages of one walk are of one state.
      const [view, from] = query.cursor?.split(' ').map(Number) ?? [this.views.push(this.trades) - 1, 0];
      const all = this.views[view!]!.filter(passes(filter));
      for (let turn = this.random.int(0, 3); turn > 0; turn--) await Promise.resolve();
      signal.throwIfAborted();
      // A page may be short before the end.
      const data = all.slice(from, from! + Math.max(1, query.limit - 3));
      return { data, next: from! + data.length < all.length ? `${view} ${from! + data.length}` : null };
    },
  } as unknown as Pick<RestClient, 'trades'>;

  snapshot(): void {
    this.send('snapshot', this.trades.slice(0, SNAPSHOT));
  }

  block(): void {
    this.send('trades', this.append());
  }

  replace(): void {
    const first = this.height - this.random.int(0, 4);
    const gone = this.trades.filter(({ block }) => block >= first);
    this.trades = this.trades.filter(({ block }) => block < first);
    this.height = Math.max(0, first - 1);
    this.send('retract', gone);
  }

  /** A block of a few trades, oldest first. */
  private append(): TradeBody[] {
    this.height++;
    const block = Array.from({ length: this.random.int(1, 3) }, () => {
      const id = String(this.made++);
      const volumeUsd = this.random.chance(0.1) ? null : this.random.int(0, 20);
      const side = this.random.chance(0.5) ? 'buy' : 'sell';
      return { id, signature: id, wallet: 'w', block: this.height, side, volumeUsd } as TradeBody;
    });
    this.trades = [...[...block].reverse(), ...this.trades];
    return block;
  }

  private send(type: 'snapshot' | 'trades' | 'retract', data: TradeBody[]): void {
    const meta = { block: this.height, blockHash: 'h', finalized: null, proof: 'none' as const };
    this.tell({ type, id: '1', channel: 'trades', epoch: 'e', seq: 1, data, meta } as TradesFrame);
  }
}

interface Query {
  side?: 'buy' | 'sell';
  minUsd?: number;
  cursor?: string;
  limit: number;
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 60; turn++) await Promise.resolve();
};

describe('older trades of a tape', () => {
  it('are, with those of the live list, the newest that pass, whatever happens', async () => {
    const histories = Math.max(1, Math.round(200 * scale));
    let compared = 0;
    for (let run = 0; run < histories; run++) {
      const seed = 11_000 + run;
      const random = new SeededRandom(seed);
      const market = new Market(random);
      let list = emptyTrades(LIMIT);
      let filter: TapeFilter = { side: 'buy', minUsd: null };
      const older = new OlderTrades(
        market.rest,
        { channel: 'trades', chain: 'eth', token: '0x1' },
        LIMIT,
        () => undefined,
      );
      market.tell = (frame) => {
        const next = followTrades(list, frame);
        older.follow(frame, list, next, filter);
        list = next;
      };
      market.snapshot();
      for (let step = 0; step < 40; step++) {
        const kind = random.next();
        if (kind < 0.6) market.block();
        else if (kind < 0.75) market.replace();
        else if (kind < 0.8) market.snapshot();
        else if (kind < 0.9) {
          filter = { side: random.pick(['buy', 'sell', null]), minUsd: random.pick([null, 5, 15]) };
          older.read(list, filter);
        }
        if (!random.chance(0.5)) continue;
        await settled();
        const shown = [...list.trades.filter(passes(filter)), ...older.rows].slice(0, LIMIT).map(({ id }) => id);
        const right = market.trades.filter(passes(filter)).map(({ id }) => id);
        // A retraction shortens what is held; what is shown has no hole, and no trade that is gone.
        if (JSON.stringify(shown) !== JSON.stringify(right.slice(0, shown.length))) {
          throw new Error(`seed ${seed}, step ${step}: ${shown.join(' ')} instead of ${right.join(' ')}`);
        }
        if (shown.length > list.trades.filter(passes(filter)).length) compared++;
      }
    }
    expect(compared).toBeGreaterThan(histories);
  });
});
