import type { Hex } from '#libs/core/ids.js';
import type { BlockGroup, ReferenceSet } from '#libs/protocol/blocks.js';
import type { FactsBlock } from '#libs/protocol/facts.js';
import { type Funder, MOST_FUNDED } from '../projection.js';

const NOBODY =
  /^((00)+|0{36}dead|dead0{24}42069420694206942069|003390728d34116079bdc911bfff00dbd44d2ecdccf79ca6e10038e100000000)$/;

/** The block in which a wallet got its first money, or traded without: then the funder is empty. */
export interface Funding {
  wallet: Hex;
  funder: Hex;
  block: number;
}

export function naiveFundings(
  blocks: readonly FactsBlock[],
  recorded: readonly BlockGroup[],
  { coin, stables }: ReferenceSet,
): Funding[] {
  const fundings = new Map<Hex, Funding>();
  for (const [block, { events }] of recorded.entries()) {
    for (const event of events) {
      if (event.kind !== 'transfer' || ![coin.token, ...stables].includes(event.token)) continue;
      if (events.some(({ kind, tx }) => tx === event.tx && kind !== 'transfer')) continue;
      const { from: funder, to: wallet, amount } = event;
      if (amount === 0n || funder === wallet || /^(00)+$/.test(funder) || NOBODY.test(wallet)) continue;
      if (!fundings.has(wallet)) fundings.set(wallet, { wallet, funder, block });
    }
    for (const { wallet } of blocks[block]!.trades)
      if (!fundings.has(wallet)) fundings.set(wallet, { wallet, funder: '', block });
  }
  return [...fundings.values()];
}

/** A row of each wallet that was funded, traded or funded another. */
export function naiveFunders(
  blocks: readonly FactsBlock[],
  recorded: readonly BlockGroup[],
  reference: ReferenceSet,
): Funder[] {
  const all = naiveFundings(blocks, recorded, reference);
  const wallets = new Set(all.flatMap(({ wallet, funder }) => (funder === '' ? [wallet] : [wallet, funder])));
  return [...wallets].map((wallet) => {
    const own = all.find((one) => one.wallet === wallet);
    const funded = all.filter(({ funder }) => funder === wallet).length;
    return {
      ...{ wallet, funder: own?.funder ?? '', traded: own?.funder === '' ? 1 : 0 },
      funded: Math.min(funded, MOST_FUNDED + 1),
    };
  });
}
