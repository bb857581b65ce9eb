import { UnknownChainError } from '#libs/chain/chains/chain-registry.js';
import { resolveChain } from '#libs/chain/chains/registry.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import { StoreError } from '#libs/pipeline/store/store-error.js';
import { badRequest, HttpProblem, notFound, upstreamUnavailable } from '#libs/serve/http/problem.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import { ChainUnavailableError, StaleViewError, UnknownBlockError } from '#libs/serve/reader/unavailable.js';

/** The chains that this instance serves, found by any name a client may use. */
export class ChainAccess {
  constructor(private readonly readers: ReadonlyMap<string, ChainReader>) {}

  /** Reader of a chain by slug, alias or id. An unknown name is a 400, a known chain that is not served here a 404. */
  reader(name: string): ChainReader {
    return chainNamed(this.readers, name, 'indexed');
  }

  find(slug: string): ChainReader | null {
    return this.readers.get(slug) ?? null;
  }

  /** Reader of a chain that a cursor names. */
  stillServed(slug: string): ChainReader {
    const reader = this.find(slug);
    if (reader === null) throw new StaleViewError(`chain ${slug} is not served any more`);
    return reader;
  }

  all(): ChainReader[] {
    return [...this.readers.values()];
  }
}

/** What this instance has of a chain, by slug, alias or id; `how`: what it does with the chains that it has. */
export function chainNamed<T>(chains: ReadonlyMap<string, T>, name: string, how: 'indexed' | 'served'): T {
  let slug: string;
  try {
    ({ slug } = resolveChain(name));
  } catch (error) {
    if (error instanceof UnknownChainError) throw badRequest(`chain: ${error.message}`);
    throw error;
  }
  const chain = chains.get(slug);
  if (chain !== undefined) return chain;
  const served = [...chains.keys()].join(', ') || 'none';
  throw notFound(`chain ${slug} is not ${how} by this instance; it serves ${served}`);
}

/** Id of an address that a client wrote, or a 400 that names the parameter. */
export const addressParameter = ({ chain }: ChainReader, parameter: string, text: string): Hex =>
  chain.ids.parseAddress(text) ?? refuseAddress(chain, parameter, '0x and 40 hex digits');

/** Id of a pool that a client named, or a 400 that names the parameter. */
export const poolParameter = ({ chain }: ChainReader, parameter: string, text: string): Hex =>
  chain.ids.parsePool(text) ?? refuseAddress(chain, parameter, '0x and 40 hex digits, or 64 for a pool id');

function refuseAddress({ family, slug }: ChainSpec, parameter: string, ofEvm: string): never {
  throw badRequest(`${parameter} must be an address of ${slug}: ${family === 'evm' ? ofEvm : 'base58 of 32 bytes'}`);
}

/** The pool that a filter names: none, `primary`, or an id. */
export type PoolFilter = Hex | 'primary' | undefined;

export const poolFilterOf = (reader: ChainReader, text: string | undefined): PoolFilter =>
  text === undefined || text === 'primary' ? text : poolParameter(reader, 'pool', text);

/** How every route accepts the chain's coin; the coin is shown by its wrapped form. */
const COIN = /^(native|0xe{40})$/i;

/** Id of the chain's coin for one of its names, else null. */
export const coinOf = (chain: ChainSpec, text: string): Hex | null =>
  COIN.test(text) ? chain.wrappedNative.token : null;

/** Id of a token that a client named by its address or as the chain's coin, or a 400 that names the parameter. */
export const tokenParameter = (reader: ChainReader, parameter: string, text: string): Hex =>
  coinOf(reader.chain, text) ?? addressParameter(reader, parameter, text);

/**
 * The problem that a client gets for a failure below; null for an error that has none. Tables that do not answer are a 502, for
 * requests that are to come again with the same cursor a 503.
 */
export function problemOf(error: unknown, comesAgain = false): HttpProblem | null {
  if (error instanceof ChainUnavailableError) return upstreamUnavailable(error.message);
  if (error instanceof StoreError) {
    const message = 'the tables do not answer now';
    return comesAgain ? upstreamUnavailable(message) : new HttpProblem(502, 'upstream_unavailable', message);
  }
  if (error instanceof StaleViewError) {
    return badRequest(`cursor is no longer honoured (${error.message}): start again from the first page`);
  }
  if (error instanceof UnknownBlockError) {
    const rule = error.family === 'solana' ? 'a slot with an indexed block' : 'an indexed block';
    return badRequest(`asOfBlock must be ${rule} at or below the head: ${error.height} is not`);
  }
  return null;
}
