import type { Hex } from '#libs/core/ids.js';
import { PricesParams } from '#libs/serve/contract/live/params.js';
import { PricesFrame, PricesSnapshotFrame } from '#libs/serve/contract/live/prices.js';
import type { PriceBody } from '#libs/serve/contract/rest/token-list-body.js';
import type { KeyDefinition, KeySink, KeySnapshot } from '#libs/serve/live/channel.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import type { TailEntry } from '#libs/serve/reader/tail-buffer.js';
import { Channel, type LiveChannel } from '../feature/live-channel.js';
import type { ChainFeed } from '../live/chain-feed.js';
import { LiveSubjects, liveToken } from '../live/live-subjects.js';
import { type KeyChange, ViewKey } from '../live/view-key.js';
import { metaOf } from '../rows/display.js';
import { SharedPrices } from './shared-prices.js';

/** Prices of up to fifty tokens of a chain, then those that a block changed. */
@Channel({
  name: 'prices',
  summary: 'Prices of up to 50 tokens of a chain',
  description: 'A price changes with the trades of a token and with the price of what it trades against.',
  parameters: PricesParams,
  frames: [
    { type: 'snapshot', payload: PricesSnapshotFrame, summary: 'Replaces all: the prices of the tokens.' },
    { type: 'prices', payload: PricesFrame, summary: 'Prices that changed.' },
  ],
  twin: 'getPrices',
})
export class PricesChannel implements LiveChannel<PricesParams> {
  private readonly pricesOf = new WeakMap<ChainFeed, SharedPrices>();

  constructor(private readonly subjects: LiveSubjects) {}

  resolve({ chain, tokens: named }: PricesParams): KeyDefinition {
    const feed = this.subjects.chain(chain);
    const tokens = [...new Set(named.map((text) => liveToken(feed, text, text)))];
    const key = `${feed.reader.chain.slug} ${tokens.join(' ')}`;
    return { key, open: (sink) => new PricesKey(feed, this.shared(feed), tokens, sink) };
  }

  private shared(feed: ChainFeed): SharedPrices {
    const known = this.pricesOf.get(feed) ?? new SharedPrices();
    this.pricesOf.set(feed, known);
    return known;
  }
}

/** Invariant: prices are those of REST after every block; `change24hPercent` and `updatedAt` are those of a row's last frame. */
class PricesKey extends ViewKey<true> {
  /** What the deltas said last, by address. */
  private readonly said = new Map<string, PriceBody>();

  constructor(
    feed: ChainFeed,
    private readonly prices: SharedPrices,
    private readonly tokens: readonly Hex[],
    sink: KeySink,
  ) {
    super(feed, sink, { everyBlock: true });
  }

  protected async load(view: ChainView): Promise<KeySnapshot> {
    return { data: await this.prices.rows(view, this.tokens), meta: metaOf(view), absent: null };
  }

  /** What a token trades against may be priced by other tokens: every block with prices is looked at. */
  protected noteOf({ group }: TailEntry): true | null {
    if (group?.facts.kind !== 'block') return null;
    const { prices, references, tokens } = group.facts;
    const known = tokens.some(({ token }) => this.tokens.includes(token));
    return prices.length > 0 || references.length > 0 || known ? true : null;
  }

  protected async change(view: ChainView): Promise<KeyChange> {
    return { type: 'prices', data: await this.prices.rows(view, this.tokens) };
  }

  protected override news({ type, data }: KeyChange): KeyChange | null {
    const changed = (data as PriceBody[]).filter((row) => {
      const said = this.said.get(row.address);
      if (said?.priceUsd === row.priceUsd && said.priceNative === row.priceNative) return false;
      this.said.set(row.address, row);
      return true;
    });
    return changed.length === 0 ? null : { type, data: changed };
  }

  protected override restarted(): void {
    super.restarted();
    this.said.clear();
  }
}
