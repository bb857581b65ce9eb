import type { Hex } from '#libs/core/ids.js';
import type { BlockGroup, ReferenceSet } from '#libs/protocol/blocks.js';
import type { FactsBlock, TradeFact } from '#libs/protocol/facts.js';
import type { TokenLaunch } from '../../launches/projection.js';
import type { TraderTags } from '../projection.js';

const ORDER = ['creator', 'sniper', 'bundler', 'insider', 'bot', 'sandwich', 'mev', 'whale', 'newWallet'];
const NOWHERE = /^(00)+$/;
const BURNS = [
  '000000000000000000000000000000000000dead',
  'dead000000000000000042069420694206942069',
  '003390728d34116079bdc911bfff00dbd44d2ecdccf79ca6e10038e100000000',
];

interface Seen extends TradeFact {
  height: number;
  time: number;
  place: number;
}

/**
 * Tags by the words of their rules: block after block, each question is answered by a look through all trades up to that block.
 * In no particular order.
 */
export function naiveTags(
  blocks: readonly FactsBlock[],
  recorded: readonly BlockGroup[],
  { coin, stables }: ReferenceSet,
): TraderTags[] {
  const rows = new Map<string, { tags: Set<string>; taggedAt: number; tradedAt: number }>();
  const creators = new Map<Hex, Hex>();
  const launched = new Map<Hex, TokenLaunch>();
  const standings = new Map<Hex, number>();
  /** Of the first block with a trade of a token: its height, and whether the token's creation was in view at its end. */
  const starts = new Map<Hex, { height: number; fresh: boolean }>();
  const isKnown = (token: Hex): boolean => launched.get(token)?.origin === 2 || standings.get(token) === 1;
  const seen: Seen[] = [];
  blocks.forEach((block, index) => {
    const { txs, events } = recorded[index]!;
    const { height, time } = block;
    const now = block.trades.map(
      (trade): Seen => ({ ...trade, height, time, place: txs.find(({ id }) => id === trade.tx)!.index }),
    );
    seen.push(...now);
    const given: [token: Hex, wallet: Hex, tag: string][] = [];
    const taken: [token: Hex, wallet: Hex][] = [];

    for (const launch of block.launches ?? []) launched.set(launch.token, launch);
    for (const { token, standing } of block.tokenHolders ?? []) standings.set(token, standing);
    const named = [...(block.launches ?? []), ...(block.tokenHolders ?? [])].map(({ token }) => token);
    for (const token of new Set(named)) {
      const before = creators.get(token);
      const after = isKnown(token) ? launched.get(token)?.creator || undefined : undefined;
      if (before === after) continue;
      if (before !== undefined) taken.push([token, before]);
      if (after !== undefined) given.push([token, after, 'creator']);
      if (after === undefined) creators.delete(token);
      else creators.set(token, after);
    }
    for (const event of events) {
      if (event.kind !== 'transfer' || event.amount === 0n || event.from === event.to) continue;
      const others = events.filter(
        ({ tx, kind }) => tx === event.tx && !['transfer', 'authority', 'metadata'].includes(kind),
      );
      if (others.length > 0 || NOWHERE.test(event.from) || NOWHERE.test(event.to) || BURNS.includes(event.to)) continue;
      if (creators.get(event.token) === event.from) given.push([event.token, event.to, 'insider']);
    }

    const tokens = new Set(now.flatMap(({ base, quote }) => [base, quote]));
    for (const token of tokens) {
      if (token === coin.token || stables.includes(token)) continue;
      const own = now.filter(({ base, quote }) => base === token || quote === token);
      if (!starts.has(token)) starts.set(token, { height, fresh: isKnown(token) });
      const start = starts.get(token)!;
      const early = start.fresh && height <= start.height + 3;
      const buys = own.filter((trade) => bought(trade, token));
      for (const { wallet } of own) {
        const its = seen.filter((trade) => trade.wallet === wallet);
        const hour = Math.floor(time / 3_600_000);
        if (its.filter((trade) => Math.floor(trade.time / 3_600_000) === hour).length >= 60)
          given.push([token, wallet, 'bot']);
        const began = seen.find(({ base, quote }) => base === coin.token || quote === coin.token)?.time;
        const first = its[0]!.time;
        const week = 7 * 24 * 3_600_000;
        if (began !== undefined && first >= began + week && time <= first + week / 7)
          given.push([token, wallet, 'newWallet']);
        if (own.some((trade) => trade.wallet === wallet && (trade.volumeUsd ?? 0n) >= 10_000n * 10n ** 18n)) {
          given.push([token, wallet, 'whale']);
        }
        if (early && buys.some((trade) => trade.wallet === wallet)) given.push([token, wallet, 'sniper']);
        if (early && isBundled(buys, wallet)) given.push([token, wallet, 'bundler']);
        if (sandwiches(own, token, wallet)) given.push([token, wallet, 'sandwich'], [token, wallet, 'mev']);
        const txs = new Set(own.filter((trade) => trade.wallet === wallet).map(({ tx }) => tx));
        for (const tx of txs) {
          if (gains(now.filter((trade) => trade.tx === tx && trade.wallet === wallet)))
            given.push([token, wallet, 'mev']);
        }
      }
    }

    const keys = new Set([...given, ...taken].map(([token, wallet]) => `${token} ${wallet}`));
    for (const key of keys) {
      const row = rows.get(key) ?? { tags: new Set(), taggedAt: 0, tradedAt: 0 };
      const before = [...row.tags].sort().join();
      for (const [token, wallet] of taken) if (`${token} ${wallet}` === key) row.tags.delete('creator');
      for (const [token, wallet, tag] of given) if (`${token} ${wallet}` === key) row.tags.add(tag);
      if ([...row.tags].sort().join() !== before) row.taggedAt = height;
      if (row.tags.size === 0) rows.delete(key);
      else rows.set(key, row);
    }
    for (const { base, quote, wallet } of now) {
      for (const token of [base, quote]) {
        const row = rows.get(`${token} ${wallet}`);
        if (row !== undefined) row.tradedAt = height;
      }
    }
  });
  return [...rows].map(([key, { tags, ...at }]) => {
    const [token, wallet] = key.split(' ') as [Hex, Hex];
    return { token, wallet, tags: ORDER.reduce((sum, tag, bit) => sum + (tags.has(tag) ? 2 ** bit : 0), 0), ...at };
  });
}

const bought = ({ base, side }: TradeFact, token: Hex): boolean => (base === token ? side === 'buy' : side === 'sell');

/** Some stretch of the buys has no gap between its transactions, three wallets or more, and this one among them. */
function isBundled(buys: readonly Seen[], wallet: Hex): boolean {
  for (let from = 0; from < buys.length; from++) {
    for (let to = from; to < buys.length; to++) {
      const stretch = buys.slice(from, to + 1);
      if (stretch.some(({ place }, i) => i > 0 && place - stretch[i - 1]!.place > 1)) break;
      const wallets = new Set(stretch.map((trade) => trade.wallet));
      if (wallets.size >= 3 && wallets.has(wallet)) return true;
    }
  }
  return false;
}

function sandwiches(trades: readonly Seen[], token: Hex, wallet: Hex): boolean {
  return trades.some((front, i) =>
    trades.some((victim, j) =>
      trades.some(
        (back, k) =>
          i < j &&
          j < k &&
          front.pool === victim.pool &&
          victim.pool === back.pool &&
          front.tx !== back.tx &&
          front.wallet === wallet &&
          back.wallet === wallet &&
          victim.wallet !== wallet &&
          bought(front, token) === bought(victim, token) &&
          bought(front, token) !== bought(back, token),
      ),
    ),
  );
}

/** Trades in two pools or more after which there is less of no token. */
function gains(trades: readonly Seen[]): boolean {
  if (new Set(trades.map(({ pool }) => pool)).size < 2) return false;
  return trades
    .flatMap(({ base, quote }) => [base, quote])
    .every((token) => {
      const amounts = trades.flatMap((trade) => [
        trade.base === token ? (trade.side === 'buy' ? trade.baseAmount : -trade.baseAmount) : 0n,
        trade.quote === token ? (trade.side === 'buy' ? -trade.quoteAmount : trade.quoteAmount) : 0n,
      ]);
      return amounts.reduce((sum, amount) => sum + amount, 0n) >= 0n;
    });
}
