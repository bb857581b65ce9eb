import type { ContractCall } from '#libs/chain/chains/evm/contract-reader.js';
import { encodeAddress } from '#libs/chain/chains/evm/words.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import type { PoolProbe, VenueSite } from './evm-venue.js';

/** What a pool contract's own getters say, in addition to its factory and tokens. */
export type PoolTraits = Pick<PoolRecord, 'kind' | 'feePpm' | 'tickSpacing'>;

export interface ContractProbeOptions {
  venue: string;
  /** Selectors of the getters that `traits` reads, in its order. */
  getters: readonly string[];
  /** Null: an answer that no pool of the venue gives. */
  traits(answers: readonly (string | null)[]): PoolTraits | null;
  /** Selector of the factory's look-up, and what it takes after the two tokens. */
  lookup: { selector: string; rest(traits: PoolTraits): string };
}

const SELECTORS = { factory: 'c45a0155', token0: '0dfe1681', token1: 'd21220a7' } as const;

/**
 * Probe of pools that are contracts of their own, made by a factory which answers for the pool of two tokens: the factory
 * must name this very contract.
 */
export function contractProbe({ venue, getters, traits, lookup }: ContractProbeOptions): PoolProbe {
  const selectors = [SELECTORS.factory, SELECTORS.token0, SELECTORS.token1, ...getters];
  return {
    calls: (pool) => selectors.map((data) => ({ to: pool, data })),
    claim: (pool, site, answers) => {
      const [factory, token0, token1] = answers.slice(0, 3).map(addressAnswer);
      if (factory !== site.factory || !token0 || !token1 || token0 >= token1) return null;
      const found = traits(answers.slice(3));
      return found && { pool, venue, token0, token1, ...found, created: false };
    },
    confirmation: (record: PoolRecord, site: VenueSite): ContractCall => {
      const tokens = encodeAddress(record.token0) + encodeAddress(record.token1);
      return { to: site.factory, data: lookup.selector + tokens + lookup.rest(record) };
    },
  };
}

/** An address and nothing else. */
export function addressAnswer(answer: string | null | undefined): Hex | null {
  return answer != null && /^0{24}[0-9a-f]{40}$/.test(answer) ? answer.slice(24) : null;
}

/** An unsigned number up to `max` and nothing else. */
export function smallAnswer(answer: string | null | undefined, max: number): number | null {
  if (answer == null || !/^0{52}[0-9a-f]{12}$/.test(answer)) return null;
  const value = Number.parseInt(answer.slice(52), 16);
  return value <= max ? value : null;
}
