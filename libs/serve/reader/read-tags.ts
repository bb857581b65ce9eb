import type { Hex } from '#libs/core/ids.js';
import type { KeyedRow } from '#libs/pipeline/projections/keyed-form.js';
import { traderTags } from '#libs/pipeline/projections/trader-tags/projection.js';
import { type TraderTag, tagsOf } from '#libs/pipeline/projections/trader-tags/tags.js';
import type { TradeFact } from '#libs/protocol/facts.js';
import type { ChainView } from './chain-view.js';
import { readKeyed } from './read-keyed.js';
import { rowsIn } from './rows-in.js';

/** Tags of wallets with tokens; a pair without any is not in it. */
export class TagLookup {
  private readonly byPair = new Map<string, TraderTag[]>();

  add({ token, wallet, tags }: { token: Hex; wallet: Hex; tags: number }): void {
    this.byPair.set(`${token} ${wallet}`, tagsOf(tags));
  }

  of(token: Hex, wallet: Hex): TraderTag[] {
    return this.byPair.get(`${token} ${wallet}`) ?? [];
  }
}

/**
 * Tags of the wallets of some trades, each with the token that its row is about. Those of a pair that traded in the tail are known
 * from there: the facts of a block hold the tags of everyone who traded in it.
 */
export async function readTags(
  view: ChainView,
  pairs: readonly { readonly token: Hex; readonly wallet: Hex }[],
): Promise<TagLookup> {
  const lookup = new TagLookup();
  if (pairs.length === 0) return lookup;
  const others: { token: Hex; wallet: Hex }[] = [];
  for (const pair of pairs) {
    const since = view.groups.findLastIndex((group) => group.tradesOf(pair.token).some(isOf(pair.wallet)));
    if (since < 0) {
      others.push(pair);
      continue;
    }
    for (const group of view.groups.slice(since)) {
      for (const row of group.keyedRowsOf(traderTags.keyed.member, 'wallet', pair.wallet)) {
        if (row.token === pair.token) lookup.add(row as unknown as TagRow);
      }
    }
  }
  if (others.length === 0) return lookup;
  const [tokens, wallets] = [new Set(others.map(({ token }) => token)), new Set(others.map(({ wallet }) => wallet))];
  const bounds = { token: { in: [...tokens] }, wallet: { in: [...wallets] } };
  for (const row of await readKeyed(view, traderTags, bounds)) lookup.add(row);
  return lookup;
}

const isOf =
  (wallet: Hex) =>
  (trade: TradeFact): boolean =>
    trade.wallet === wallet;

/** Tags of the trades of a block, from its facts alone: they hold a row of every tagged wallet that traded. */
export function tagsIn(facts: object): TagLookup {
  const lookup = new TagLookup();
  for (const row of rowsIn(traderTags, facts)) lookup.add(row as unknown as TagRow);
  return lookup;
}

type TagRow = { token: Hex; wallet: Hex; tags: number; taggedAt: number };

/** Whose tags a group changed: of a block those that it tagged or took all tags from, of a retraction all that it names. */
export function changedTags(
  facts: { readonly kind: string; readonly height: number },
  concerns: (row: { readonly token: Hex; readonly wallet: Hex }) => boolean,
): { token: Hex; wallet: Hex; tags: TraderTag[] }[] {
  const rows = rowsIn(traderTags, facts) as readonly (KeyedRow & TagRow)[];
  return rows
    .filter((row) => (facts.kind === 'retract' || row.tags === 0 || row.taggedAt === facts.height) && concerns(row))
    .map(({ token, wallet, tags }) => ({ token, wallet, tags: tagsOf(tags) }));
}
