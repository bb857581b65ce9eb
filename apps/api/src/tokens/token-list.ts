import type { Hex } from '#libs/core/ids.js';
import type { ChainsMeta } from '#libs/serve/contract/rest/chain-body.js';
import { badRequest } from '#libs/serve/http/problem.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import { asOfBlock, type ChainView } from '#libs/serve/reader/chain-view.js';
import type { NamedToken } from '../access/named-tokens.js';
import { metaOf } from '../rows/display.js';

/** Tokens of several chains, each chain read from one view. */
export interface TokenList {
  readonly views: readonly ChainView[];
  /** Names the list, whatever the spelling of the request. */
  readonly subject: string;
  readonly meta: ChainsMeta;
  tokensOf(view: ChainView): Hex[];
  /** The rows that were found, in the order of the request. */
  inOrder<Row>(rows: (view: ChainView, token: Hex) => Row | undefined): Row[];
}

/** Takes the views now. A block names one state only where all tokens are of one chain. */
export async function tokenList(named: readonly NamedToken[], height?: number): Promise<TokenList> {
  const readers = [...new Set(named.map(({ reader }) => reader))];
  if (height !== undefined && readers.length > 1) {
    throw badRequest('asOfBlock is a block of one chain: name tokens of one chain alone');
  }
  const newest = readers.map((reader) => reader.view());
  const views = height === undefined ? newest : await Promise.all(newest.map((view) => asOfBlock(view, height)));
  const viewOf = new Map<ChainReader, ChainView>(readers.map((reader, index) => [reader, views[index]!]));
  return {
    views,
    subject: named.map(({ reader, token }) => `${reader.chain.slug}:${token}`).join(','),
    meta: { chains: Object.fromEntries(views.map((view) => [view.chain.slug, metaOf(view)])) },
    tokensOf: (view) => named.filter(({ reader }) => viewOf.get(reader) === view).map(({ token }) => token),
    inOrder: (rows) => named.flatMap(({ reader, token }) => rows(viewOf.get(reader)!, token) ?? []),
  };
}
