import type { FactsBlock } from '#libs/protocol/facts.js';
import type { FirstTrade } from '../projection.js';

/** For every token and wallet, the earliest of all its trades. In no particular order. */
export function naiveFirstTrades(blocks: readonly FactsBlock[]): FirstTrade[] {
  const trades = blocks.flatMap((block, index) => block.trades.map((trade) => ({ ...trade, block, index })));
  const tokens = new Set(trades.flatMap(({ base, quote }) => [base, quote]));
  const wallets = new Set(trades.map(({ wallet }) => wallet));
  return [
    ...[...tokens].map((id): FirstTrade => {
      const { block, index } = trades.find(({ base, quote }) => base === id || quote === id)!;
      const upTo = blocks.slice(0, index + 1);
      const launch = upTo.flatMap(({ launches = [] }) => launches).findLast(({ token }) => token === id);
      const counts = upTo.flatMap(({ tokenHolders = [] }) => tokenHolders).findLast(({ token }) => token === id);
      const fresh = launch?.origin === 2 || counts?.standing === 1 ? 1 : 0;
      return { subject: 'token', id, height: block.height, startedAt: block.time, fresh };
    }),
    ...[...wallets].map((id): FirstTrade => {
      const { block } = trades.find(({ wallet }) => wallet === id)!;
      return { subject: 'wallet', id, height: block.height, startedAt: block.time, fresh: 0 };
    }),
  ];
}
