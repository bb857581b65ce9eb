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
    let slug: string;
    try {
      ({ slug } = resolveChain(name));
    } catch (error) {
      if (error instanceof UnknownChainError) throw badRequest(`chain: ${error.message}`);
      throw error;
    }
    const reader = this.readers.get(slug);
    if (reader === undefined) {
      const served = [...this.readers.keys()].join(', ') || 'none';
      throw notFound(`chain ${slug} is not indexed by this instance; it serves ${served}`);
    }
    return reader;
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

/** Id of an address that a client wrote, or a 400 that names the parameter. */
export function addressParameter(reader: ChainReader, parameter: string, text: string): Hex {
  const id = reader.chain.ids.parseAddress(text);
  if (id === null) {
    const rule = reader.chain.family === 'evm' ? '0x and 40 hex digits' : 'base58 of 32 bytes';
    throw badRequest(`${parameter} must be an address of ${reader.chain.slug}: ${rule}`);
  }
  return id;
}

/** Id of a pool that a client named, or a 400 that names the parameter. */
export function poolParameter(reader: ChainReader, parameter: string, text: string): Hex {
  const id = reader.chain.ids.parsePool(text);
  if (id === null) {
    const rule = reader.chain.family === 'evm' ? '0x and 40 hex digits, or 64 for a pool id' : 'base58 of 32 bytes';
    throw badRequest(`${parameter} must be an address of ${reader.chain.slug}: ${rule}`);
  }
  return id;
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
