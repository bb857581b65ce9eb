import type { Hex } from '#libs/core/ids.js';
import type { TokenPath } from '#libs/serve/contract/rest/path-parameters.js';
import { badRequest, type HttpProblem, notFound } from '#libs/serve/http/problem.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import { asOfBlock, type ChainView } from '#libs/serve/reader/chain-view.js';
import { readTokenRecords } from '#libs/serve/reader/read-prices.js';
import { type ChainAccess, tokenParameter } from './chain-access.js';

/**
 * What the routes of one token have in common. Parameters are checked before anything is read (400), then a view is taken
 * (503), then the answer is computed from that one view.
 */
export interface TokenSubject {
  readonly reader: ChainReader;
  readonly token: Hex;
}

export function tokenSubject(access: ChainAccess, { chain, address }: TokenPath): TokenSubject {
  const reader = access.reader(chain);
  return { reader, token: tokenParameter(reader, 'address', address) };
}

export function checkRange({ from, to }: { from?: number; to?: number }): void {
  if (from !== undefined && to !== undefined && from >= to) throw badRequest('from must be before to');
}

export async function viewFor(
  reader: ChainReader,
  pin: ChainView['pin'] | undefined,
  height?: number,
): Promise<ChainView> {
  const view = reader.view(pin);
  return height === undefined ? view : asOfBlock(view, height);
}

/** An empty list of an unknown token is a 404, not an empty page. */
export async function mustKnow(view: ChainView, { reader, token }: TokenSubject): Promise<void> {
  if (!(await readTokenRecords(view, [token])).has(token)) throw unknownTokenOf(reader, token);
}

export const unknownTokenOf = (reader: ChainReader, token: Hex): HttpProblem =>
  notFound(`token ${reader.chain.ids.formatAddress(token)} is not known on ${reader.chain.slug}`);
