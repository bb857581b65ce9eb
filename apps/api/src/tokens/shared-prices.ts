import type { Hex } from '#libs/core/ids.js';
import type { PriceBody } from '#libs/serve/contract/rest/token-list-body.js';
import { type ChainView, pinKey } from '#libs/serve/reader/chain-view.js';
import { priceRows } from './price-rows.js';

type Rows = ReadonlyMap<Hex, PriceBody>;

/** Tokens that are read together once the turn in which they were asked for is over. */
interface Batch {
  readonly tokens: Hex[];
  readonly rows: Promise<Rows>;
}

/**
 * Prices of one chain for all lists that show them: a token is read once at a view, however many lists have it, and the tokens that are
 * asked for in one turn are read together. Invariant: a row is that of the asked view; only those of the newest one are kept.
 */
export class SharedPrices {
  private place = '';
  private readonly batchOf = new Map<Hex, Batch>();
  private open: Batch | null = null;

  async rows(view: ChainView, tokens: readonly Hex[]): Promise<PriceBody[]> {
    const place = pinKey(view.pin);
    if (this.place !== place) {
      this.place = place;
      this.batchOf.clear();
      this.open = null;
    }
    const batches = tokens.map((token) => this.batchOf.get(token) ?? this.ask(view, token));
    const found = new Map<Batch, Rows>();
    for (const batch of new Set(batches)) found.set(batch, await batch.rows);
    return tokens.flatMap((token, at) => found.get(batches[at]!)!.get(token) ?? []);
  }

  private ask(view: ChainView, token: Hex): Batch {
    const batch = this.open ?? this.begin(view);
    batch.tokens.push(token);
    this.batchOf.set(token, batch);
    return batch;
  }

  private begin(view: ChainView): Batch {
    const tokens: Hex[] = [];
    const rows = Promise.resolve().then(() => {
      if (this.open === batch) this.open = null;
      return priceRows(view, tokens);
    });
    const batch = { tokens, rows };
    this.open = batch;
    // Who asked for it is not to hear of a failure twice, and who asks next tries again.
    rows.catch(() => {
      for (const token of tokens) if (this.batchOf.get(token) === batch) this.batchOf.delete(token);
    });
    return batch;
  }
}
