import { UnknownChainError } from '#libs/chain/chains/chain-registry.js';
import { resolveChain } from '#libs/chain/chains/registry.js';
import type { Hex } from '#libs/core/ids.js';
import { MOST_TOKENS } from '#libs/serve/contract/rest/token-list-body.js';
import { badRequest } from '#libs/serve/http/problem.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import { type ChainAccess, coinOf } from './chain-access.js';

export interface NamedToken {
  readonly reader: ChainReader;
  readonly token: Hex;
}

/**
 * Tokens that a request lists as `chain:address` or `address:chain`, in its order, each once. An unknown chain is a 400; an
 * address that is not one of its chain and a chain that is not served here are left out.
 */
export function namedTokens(access: ChainAccess, parameter: string, text: string): NamedToken[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.some((name) => name === '')) throw badRequest(`${parameter} must name a token before and after each comma`);
  if (names.length > MOST_TOKENS) {
    throw badRequest(`${parameter} must name at most ${MOST_TOKENS} tokens: it names ${names.length}`);
  }
  const found = new Map<string, NamedToken>();
  for (const name of names) {
    const { slug, address } = split(parameter, name);
    const reader = access.find(slug);
    const token = reader && (coinOf(reader.chain, address) ?? reader.chain.ids.parseAddress(address));
    if (reader !== null && token !== null) found.set(`${slug} ${token}`, { reader, token });
  }
  return [...found.values()];
}

function split(parameter: string, name: string): { slug: string; address: string } {
  const [first, second, ...rest] = name.split(':').map((part) => part.trim());
  if (!first || !second || rest.length > 0) {
    throw badRequest(`${parameter} must name each token as chain:address: ${JSON.stringify(name.slice(0, 60))} is not`);
  }
  try {
    return { slug: resolveChain(first).slug, address: second };
  } catch (error) {
    if (!(error instanceof UnknownChainError)) throw error;
    try {
      return { slug: resolveChain(second).slug, address: first };
    } catch {
      throw badRequest(`${parameter}: ${error.message}`);
    }
  }
}
