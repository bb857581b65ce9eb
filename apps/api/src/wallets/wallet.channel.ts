import type { Hex } from '#libs/core/ids.js';
import { balances } from '#libs/pipeline/projections/balances/projection.js';
import { holders, isComplete } from '#libs/pipeline/projections/holders/projection.js';
import { WalletParams } from '#libs/serve/contract/live/params.js';
import {
  BalancesFrame,
  WalletSnapshotFrame,
  WalletTagsFrame,
  WalletTradesFrame,
} from '#libs/serve/contract/live/wallet.js';
import { WalletTradesQuery } from '#libs/serve/contract/rest/queries.js';
import type { KeyDefinition, KeySink, KeySnapshot } from '#libs/serve/live/channel.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { readKeyed } from '#libs/serve/reader/read-keyed.js';
import { changedTags, readTags } from '#libs/serve/reader/read-tags.js';
import { type PlacedTrade, readTrades } from '#libs/serve/reader/read-trades.js';
import { rowsIn } from '#libs/serve/reader/rows-in.js';
import type { TailEntry } from '#libs/serve/reader/tail-buffer.js';
import { Channel, type LiveChannel } from '../feature/live-channel.js';
import type { ChainFeed } from '../live/chain-feed.js';
import { LiveSubjects, liveAddress } from '../live/live-subjects.js';
import { type KeyChange, ViewKey } from '../live/view-key.js';
import { metaOf } from '../rows/display.js';
import { baseTradeRows, tagRows } from '../trades/trade-rows.js';
import { holdingRows, holdingRowsOf } from './holding-rows.js';

/** As many as the REST route answers by default. */
const ROWS = new WalletTradesQuery().limit;

/** The newest trades of a wallet, then those that come; with balances, what it holds and each change of it. */
@Channel({
  name: 'wallet',
  summary: 'Trades of a wallet and, where asked for, its balances',
  description:
    'Holdings are of tokens whose balances are known; a holding that is not any more has the amount null. A retraction of what was sent ends in a snapshot.',
  parameters: WalletParams,
  frames: [
    { type: 'snapshot', payload: WalletSnapshotFrame, summary: 'Replaces all: the newest trades, and the holdings.' },
    { type: 'trades', payload: WalletTradesFrame, summary: 'New trades, and what they changed of the holdings.' },
    { type: 'balances', payload: BalancesFrame, summary: 'Holdings that changed without a trade.' },
    { type: 'tags', payload: WalletTagsFrame, summary: 'Tags of the wallet that changed without a trade.' },
  ],
  twin: 'getWalletTrades',
})
export class WalletChannel implements LiveChannel<WalletParams> {
  constructor(private readonly subjects: LiveSubjects) {}

  resolve({ chain, wallet: named, balances: withBalances }: WalletParams): KeyDefinition {
    const feed = this.subjects.chain(chain);
    const wallet = liveAddress(feed, 'wallet', named);
    const key = `${feed.reader.chain.slug} ${wallet}${withBalances ? ' balances' : ''}`;
    return { key, open: (sink) => new WalletKey(feed, wallet, withBalances, sink) };
  }
}

interface Noted {
  readonly trades: readonly PlacedTrade[];
  /** Tokens of which the wallet's balance changed. */
  readonly moved: readonly Hex[];
  /** Tokens that are measured from this block on, or no longer: what the wallet has of them comes or goes. */
  readonly measured: readonly Hex[];
  /** Tokens with which its tags changed. */
  readonly tagged: readonly Hex[];
}

const isNothing = ({ trades, moved, measured, tagged }: Noted): boolean =>
  trades.length + moved.length + measured.length + tagged.length === 0;

/** Invariant: trades and amounts are those of REST after every block; prices and values of a holding are of its last frame. */
class WalletKey extends ViewKey<Noted> {
  /** Tokens of which the wallet may have some, measured or not; null until they are known. */
  private had: Set<Hex> | null = null;
  /** Whether each of them was measured when a block named it last. */
  private readonly standings = new Map<Hex, boolean>();

  constructor(
    feed: ChainFeed,
    private readonly wallet: Hex,
    private readonly withBalances: boolean,
    sink: KeySink,
  ) {
    super(feed, sink, { wallets: [wallet], tagged: [wallet], everyBlock: withBalances });
  }

  protected async load(view: ChainView): Promise<KeySnapshot> {
    const { wallet, run } = this;
    const [{ trades }, held, rows] = await Promise.all([
      readTrades(view, { wallet, limit: ROWS }),
      this.withBalances ? holdingRows(view, wallet) : null,
      this.withBalances ? readKeyed(view, balances, { wallet: { is: wallet } }) : [],
    ]);
    // What came meanwhile is among the notes: every token counted then.
    if (run === this.run)
      this.had = new Set([...(this.had ?? []), ...rows.map(({ token }) => token), ...this.standings.keys()]);
    const data = await baseTradeRows(view, trades);
    return { data, extraFields: { balances: held }, meta: metaOf(view), absent: null };
  }

  protected noteOf({ group, head: { height: block, time } }: TailEntry): Noted | null {
    if (group?.facts.kind !== 'block') return null;
    const { facts } = group;
    const own = facts.trades.filter(({ wallet }) => wallet === this.wallet);
    const trades = own.map((trade): PlacedTrade => ({ ...trade, block, time }));
    const moved = this.withBalances
      ? rowsIn(balances, facts).flatMap(({ token, wallet }) => (wallet === this.wallet ? [token as Hex] : []))
      : [];
    const measured = this.withBalances ? rowsIn(holders, facts).map(({ token }) => token as Hex) : [];
    const tagged = changedTags(facts, ({ wallet }) => wallet === this.wallet).map(({ token }) => token);
    const note = { trades, moved, measured, tagged };
    return isNothing(note) ? null : note;
  }

  protected override liveNoteOf(entry: TailEntry): Noted | null {
    const note = this.noteOf(entry);
    if (note === null) return null;
    const rows = new Map(
      rowsIn(holders, entry.group!.facts).map((row) => [
        row.token as Hex,
        isComplete({ standing: Number(row.standing) }),
      ]),
    );
    for (const token of note.moved) this.had?.add(token);
    const measured = note.measured.filter(
      (token) => this.had?.has(token) !== false && this.standings.get(token) !== rows.get(token),
    );
    for (const token of measured) this.standings.set(token, rows.get(token)!);
    const news = { ...note, measured };
    return isNothing(news) ? null : news;
  }

  protected async change(view: ChainView, notes: readonly Noted[]): Promise<KeyChange | null> {
    const data = await baseTradeRows(
      view,
      notes.flatMap(({ trades }) => trades),
    );
    const changed = this.withBalances ? await this.changed(view, notes) : null;
    const tags = await this.tags(view, notes);
    if (data.length > 0) return { type: 'trades', data, extraFields: { balances: changed, tags } };
    if (tags.length > 0) return { type: 'tags', data: tags, extraFields: { balances: changed } };
    return changed === null || changed.length === 0 ? null : { type: 'balances', data: changed };
  }

  /** Its tags with the tokens with which they changed. */
  private async tags(view: ChainView, notes: readonly Noted[]) {
    const { wallet } = this;
    const tokens = [...new Set(notes.flatMap(({ tagged }) => tagged))];
    const found = await readTags(
      view,
      tokens.map((token) => ({ token, wallet })),
    );
    return tagRows(
      view.chain,
      tokens.map((token) => ({ token, wallet, tags: found.of(token, wallet) })),
    );
  }

  protected override restarted(): void {
    super.restarted();
    this.had = null;
    this.standings.clear();
  }

  private async changed(view: ChainView, notes: readonly Noted[]) {
    const { wallet } = this;
    const tokens = new Set(notes.flatMap(({ moved }) => moved));
    const measured = new Set(notes.flatMap((note) => note.measured));
    if (measured.size > 0) {
      const bounds = { wallet: { is: wallet }, token: { in: [...measured] } };
      for (const { token } of await readKeyed(view, balances, bounds)) tokens.add(token);
    }
    return tokens.size === 0 ? [] : holdingRowsOf(view, wallet, tokens);
  }
}
