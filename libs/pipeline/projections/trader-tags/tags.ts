/** Tags of a wallet with a token, in the order of their bits: the list only grows at its end. */
export const traderTagNames = [
  ...['creator', 'sniper', 'bundler', 'insider', 'bot', 'sandwich', 'mev', 'whale', 'newWallet'],
] as const;

export type TraderTag = (typeof traderTagNames)[number];

export const bitOf = (tag: TraderTag): number => 1 << traderTagNames.indexOf(tag);

/** What a creator does with its own token early is no news: it is shown as the creator alone. */
const HIDDEN_OF_CREATOR = bitOf('sniper') | bitOf('bundler') | bitOf('insider');

export const shownBits = (bits: number): number => (bits & bitOf('creator') ? bits & ~HIDDEN_OF_CREATOR : bits);

export function tagsOf(bits: number): TraderTag[] {
  const shown = shownBits(bits);
  return traderTagNames.filter((tag) => shown & bitOf(tag));
}

/** Heights after the first trade of a token in which a buy is a sniper's. */
export const SNIPER_HEIGHTS = 3;
/** Wallets whose buys follow one another without another transaction between them. */
export const BUNDLE_WALLETS = 3;
/** Trades of a wallet in one hour of UTC. */
export const BOT_TRADES = 60;
/** USD of one trade. */
export const WHALE_USD = 10_000;
/** Since the first trade that the log has of a wallet. */
export const NEW_WALLET_MS = 86_400_000;
/** How long the log had seen trades of the coin by then: before that every wallet would look new. */
export const NEW_WALLET_LOG_MS = 7 * 86_400_000;
