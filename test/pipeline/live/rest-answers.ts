import { candleRow } from '#apps/api/src/candles/candle-rows.js';
import { metaOf } from '#apps/api/src/rows/display.js';
import { tradeRows } from '#apps/api/src/trades/trade-rows.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { Interval } from '#libs/pipeline/fold/candles.js';
import { emptyCheckpoint } from '#libs/pipeline/store/market/checkpoint.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { type ChainView, type Pin, viewAt } from '#libs/serve/reader/chain-view.js';
import { readCandles } from '#libs/serve/reader/read-candles.js';
import { changedTags } from '#libs/serve/reader/read-tags.js';
import { readTrades } from '#libs/serve/reader/read-trades.js';
import { Session } from '#libs/serve/reader/session.js';
import type { TailEntry } from '#libs/serve/reader/tail-buffer.js';
import { allProtections } from '../memory-tables.js';
import { EPOCH, FOLD } from '../world-checks.js';
import { FactsTables, MemoryReads } from './memory-reads.js';

export interface Series {
  token: Hex;
  interval: Interval;
  currency: 'usd' | 'native';
}

/** The rows of the REST routes, by their own functions, from any view. */
export async function restTrades(view: ChainView, token: Hex, limit: number): Promise<unknown[]> {
  if (limit === 0) return [];
  const { trades } = await readTrades(view, { token, limit });
  return plain(await tradeRows(view, token, trades));
}

export async function restCandles(view: ChainView, series: Series, limit: number): Promise<unknown[]> {
  if (limit === 0) return [];
  const { candles } = await readCandles(view, { ...series, limit, fill: false, continuous: false });
  return plain(candles.map(candleRow));
}

/** Trades after a frame that changed tags: rows of the same wallet, and where rows are of several tokens of the same token. */
export function withTags<Row extends object>(
  trades: readonly Row[],
  changed: readonly object[],
  also?: 'token',
): Row[] {
  const keyOf = (row: object): string => {
    const { wallet, token } = row as { wallet: string; token: string };
    return also === undefined ? wallet : `${wallet} ${token}`;
  };
  const tags = new Map(changed.map((row) => [keyOf(row), (row as { tags: string[] }).tags]));
  return trades.map((trade) => ({ ...trade, ...(tags.has(keyOf(trade)) && { tags: tags.get(keyOf(trade)) }) }));
}

/** As it looks after its way over the wire. */
export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/**
 * What REST answers at every seq of a history that was folded without any fault. All groups are in memory, so tables,
 * checkpoints and switches have no influence.
 */
export class RestAnswers {
  private readonly session: Session;
  private readonly pins: Pin[] = [];
  /** The groups as a reader hands them to its listeners. */
  readonly entries: TailEntry[] = [];

  constructor(
    readonly chain: ChainSpec,
    readonly facts: readonly FactsGroup[],
  ) {
    const checkpoint = emptyCheckpoint({ generation: 0, epoch: EPOCH, foldVersion: FOLD });
    const pointer = { version: 1, generation: 0, epoch: EPOCH, foldVersion: FOLD, seq: -1 };
    const reads = MemoryReads.of(new FactsTables('none', allProtections), async () => undefined);
    this.session = new Session({ pointer, checkpoint, reads, maxTailBytes: Number.POSITIVE_INFINITY });
    const seals = { sealSeq: -1, sealedTime: 0 };
    for (const group of facts) {
      const entry = this.session.tail.push(group, 1)!;
      const { head, finalizedHeight } = entry;
      this.entries.push(entry);
      this.pins.push({ epoch: EPOCH, generation: 0, seq: group.seq, ...head, finalizedHeight, ...seals });
    }
  }

  at(seq: number): ChainView {
    return viewAt(this.chain, this.session, this.pins[seq]!);
  }

  /** Whether the group at a seq changed tags of wallets with a token. */
  changesTags(seq: number, token: Hex): boolean {
    return changedTags(this.facts[seq]!, (row) => row.token === token).length > 0;
  }

  metaAt(seq: number): unknown {
    return plain(metaOf(this.at(seq)));
  }

  /** Ids of the trades of a token that a retraction took back. */
  async takenBack(seq: number, token: Hex): Promise<string[]> {
    const all = Number.MAX_SAFE_INTEGER - 1;
    const [before, after] = await Promise.all([
      restTrades(this.at(seq - 1), token, all),
      restTrades(this.at(seq), token, all),
    ]);
    const placed = (rows: unknown[]) =>
      (rows as { id: string; block: number }[]).map(({ id, block }) => `${block} ${id}`);
    const left = new Set(placed(after));
    return placed(before)
      .filter((row) => !left.has(row))
      .map((row) => row.split(' ')[1]!);
  }
}
