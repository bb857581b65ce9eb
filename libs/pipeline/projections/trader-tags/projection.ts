import type { Hex } from '#libs/core/ids.js';
import { ONE_E18 } from '#libs/core/money.js';
import { type FirstTrade, firstTrades } from '../first-trades/projection.js';
import { holders, isComplete, type TokenHolders } from '../holders/projection.js';
import type { BlockFacts } from '../keyed-fold.js';
import type { RowOf } from '../keyed-form.js';
import { type FoldInput, type KeyedRows, keyedProjection } from '../keyed-projection.js';
import { LAUNCHED, launches, type TokenLaunch } from '../launches/projection.js';
import { moneyOf } from '../money-tokens.js';
import { isBurnWallet, isZeroId } from '../token-amounts.js';
import { walletProfits } from '../wallet-profits/projection.js';
import { arbitrages, bundledWallets, sandwichingWallets, tokenTrades } from './block-trades.js';
import * as rules from './tags.js';

export { bitOf, shownBits } from './tags.js';

/** What a wallet is known for with a token. Without any tag there is no row. */
export type TraderTags = RowOf<typeof fields>;

const fields = {
  key: { token: 'id', wallet: 'id' },
  values: {
    /** Bits of `traderTagNames`. */
    tags: 'uint32',
    /** Height of the block that changed the tags last. */
    taggedAt: 'uint64',
    /** Height of the last block in which it traded the token and had tags at the end; 0 where there is none. */
    tradedAt: 'uint64',
  },
} as const;

declare module '#libs/protocol/facts.js' {
  interface ChangedRows {
    traderTags?: TraderTags[];
  }
}

/**
 * Tags by token and wallet; money, the coin and the stables, has none. A trade shows the tags that its wallet has with the token at
 * the view, so a block changes tags of trades before it: a wallet becomes a bot at its sixtieth trade of an hour, an insider when the
 * creator sends it tokens, a trader is tagged at the end of its block only.
 *
 * Invariant, for those who follow facts: the rows of a block hold every tagged wallet that traded in it, so that tags of its trades
 * are known from the block alone (no row: no tags), and every wallet whose tags it changed: the rows with `taggedAt` equal to its
 * height, and those of zeros, which take all tags away. The rows of a retraction hold whatever it changes.
 *
 * A tag stays, but that of the creator, which is the one that the token itself shows.
 */
export const traderTags = keyedProjection<TraderTags>({
  name: 'trader-tags',
  version: 1,
  member: 'traderTags',
  fields,
  needs: [holders, launches, firstTrades, walletProfits],
  fold(block, rows, input) {
    const changes = new TagChanges(rows, block.height);
    changeCreators(changes, input);
    addInsiders(changes, input);
    if (block.trades.length > 0) addTraders(changes, block, input);
    changes.save();
  },
});

/** A wallet's tags with a token: before the block, and as they are so far. */
interface TagChange {
  readonly before: TraderTags;
  tags: number;
  traded: boolean;
}

/** Tags that a block adds and takes away, and who traded. */
class TagChanges {
  private readonly byToken = new Map<Hex, Map<Hex, TagChange>>();

  constructor(
    private readonly rows: KeyedRows<TraderTags>,
    private readonly height: number,
  ) {}

  add(token: Hex, wallet: Hex, tag: rules.TraderTag): void {
    this.of(token, wallet).tags |= rules.bitOf(tag);
  }

  takeAway(token: Hex, wallet: Hex, tag: rules.TraderTag): void {
    this.of(token, wallet).tags &= ~rules.bitOf(tag);
  }

  traded(token: Hex, wallet: Hex): void {
    this.of(token, wallet).traded = true;
  }

  save(): void {
    for (const [token, wallets] of this.byToken) {
      for (const [wallet, { before, tags, traded }] of wallets) {
        if (tags === 0 && before.tags === 0) continue;
        const taggedAt = tags === before.tags ? before.taggedAt : this.height;
        const tradedAt = traded ? this.height : before.tradedAt;
        this.rows.set({ token, wallet, tags, taggedAt: tags && taggedAt, tradedAt: tags && tradedAt });
      }
    }
  }

  private of(token: Hex, wallet: Hex): TagChange {
    let wallets = this.byToken.get(token);
    if (wallets === undefined) {
      wallets = new Map();
      this.byToken.set(token, wallets);
    }
    let change = wallets.get(wallet);
    if (change === undefined) {
      const before = this.rows.get({ token, wallet });
      change = { before, tags: before.tags, traded: false };
      wallets.set(wallet, change);
    }
    return change;
  }
}

/** As the token shows it: who minted it first is known as its creator only while all of its transfers are in view. */
const creatorOf = ({ origin, creator }: TokenLaunch, counts: Pick<TokenHolders, 'standing'>): Hex =>
  origin === LAUNCHED || isComplete(counts) ? creator : '';

function changeCreators(changes: TagChanges, { get, changes: changed }: FoldInput): void {
  const launched = new Map<Hex, { before: TokenLaunch; after: TokenLaunch }>();
  const counted = new Map<Hex, { before: TokenHolders; after: TokenHolders }>();
  for (const change of changed(launches)) launched.set(change.after.token, change);
  for (const change of changed(holders)) {
    if (change.before.standing !== change.after.standing) counted.set(change.after.token, change);
  }
  for (const token of new Set([...launched.keys(), ...counted.keys()])) {
    const same = <Row>(row: Row) => ({ before: row, after: row });
    const launch = launched.get(token) ?? same(get(launches, { token }));
    const counts = counted.get(token) ?? same(get(holders, { token }));
    const before = creatorOf(launch.before, counts.before);
    const after = creatorOf(launch.after, counts.after);
    if (before === after) continue;
    if (before !== '') changes.takeAway(token, before, 'creator');
    if (after !== '') changes.add(token, after, 'creator');
  }
}

/** Who got some of a token from its creator in a transaction that does nothing with a pool and takes no step of a launch. */
function addInsiders(changes: TagChanges, { group, reference, get }: FoldInput): void {
  const busy = new Set<number>();
  for (const { kind, tx } of group.events) {
    if (kind !== 'transfer' && kind !== 'authority' && kind !== 'metadata') busy.add(tx);
  }
  const isMoney = moneyOf(reference);
  const creators = new Map<Hex, Hex>();
  for (const event of group.events) {
    if (event.kind !== 'transfer' || event.amount === 0n || busy.has(event.tx)) continue;
    const { token, from, to } = event;
    if (from === to || isZeroId(from) || isZeroId(to) || isBurnWallet(to) || isMoney(token)) continue;
    let creator = creators.get(token);
    if (creator === undefined) {
      creator = creatorOf(get(launches, { token }), get(holders, { token }));
      creators.set(token, creator);
    }
    if (from === creator) changes.add(token, to, 'insider');
  }
}

function addTraders(changes: TagChanges, block: BlockFacts, input: FoldInput): void {
  const isMoney = moneyOf(input.reference);
  const bots = new Set<Hex>();
  for (const { after } of input.changes(walletProfits)) {
    if (after.buys + after.sells >= rules.BOT_TRADES) bots.add(after.wallet);
  }
  const isNew = newWallets(block, input);
  const whaleUsd = BigInt(rules.WHALE_USD) * ONE_E18;
  for (const [token, trades] of tokenTrades(block.trades, isMoney)) {
    for (const { wallet, volumeUsd } of trades) {
      changes.traded(token, wallet);
      if (bots.has(wallet)) changes.add(token, wallet, 'bot');
      if (volumeUsd !== null && volumeUsd >= whaleUsd) changes.add(token, wallet, 'whale');
      if (isNew(wallet)) changes.add(token, wallet, 'newWallet');
    }
    const start = input.get(firstTrades, { subject: 'token', id: token });
    if (start.fresh === 1 && block.height <= start.height + rules.SNIPER_HEIGHTS) {
      for (const { wallet, buys } of trades) if (buys) changes.add(token, wallet, 'sniper');
      for (const wallet of bundledWallets(trades, input.group)) changes.add(token, wallet, 'bundler');
    }
    for (const wallet of sandwichingWallets(trades)) {
      changes.add(token, wallet, 'sandwich');
      changes.add(token, wallet, 'mev');
    }
  }
  for (const { token, wallet } of arbitrages(block.trades)) if (!isMoney(token)) changes.add(token, wallet, 'mev');
}

/** Wallets of which the log has no trade before the last day, once it had seen trades for a week. */
function newWallets({ time }: BlockFacts, { get, reference }: FoldInput): (wallet: Hex) => boolean {
  const began = get<FirstTrade>(firstTrades, { subject: 'token', id: reference.coin.token }).startedAt;
  return (wallet) => {
    const first = get<FirstTrade>(firstTrades, { subject: 'wallet', id: wallet }).startedAt;
    return began !== 0 && first - began >= rules.NEW_WALLET_LOG_MS && time - first <= rules.NEW_WALLET_MS;
  };
}
