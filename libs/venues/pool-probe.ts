import type { ContractCall } from '#libs/chains/evm/contract-reader.js';
import { encodeAddress, encodeUint } from '#libs/chains/evm/words.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolRecord } from '#libs/protocol/blocks.js';
import type { EvmVenue } from './evm-venue.js';

/** A factory that is known to make pools of a venue. */
export interface KnownFactory {
  readonly factory: Hex;
  readonly venue: EvmVenue;
}

const SELECTORS = {
  factory: 'c45a0155',
  token0: '0dfe1681',
  token1: 'd21220a7',
  fee: 'ddca3f43',
  tickSpacing: 'd0c93a7c',
  getPair: 'e6a43905',
  getPool: '1698ee82',
} as const;

export const PROBE_CALLS = 5;

/** What a contract says about itself; `readProbe` takes the answers in this order. */
export function probeCalls(pool: Hex): ContractCall[] {
  const { factory, token0, token1, fee, tickSpacing } = SELECTORS;
  return [factory, token0, token1, fee, tickSpacing].map((data) => ({ to: pool, data }));
}

/**
 * The pool that a contract claims to be, if its factory is one of ours. A claim only: anybody can write a contract that
 * answers like that, so the factory itself must confirm it (`confirmationCall`).
 */
export function readProbe(
  pool: Hex,
  answers: readonly (string | null)[],
  factories: ReadonlyMap<Hex, KnownFactory>,
): { record: PoolRecord; factory: KnownFactory } | null {
  const [factoryWord, token0, token1] = answers.slice(0, 3).map(address);
  const factory = factoryWord ? factories.get(factoryWord) : undefined;
  if (!factory || !token0 || !token1 || token0 >= token1) return null;
  const { venue } = factory;
  const feePpm = venue.fixedFeePpm ?? small(answers[3] ?? null, 999_999);
  const tickSpacing = venue.protocol === 'v3' ? small(answers[4] ?? null, 16_384) : 0;
  if (feePpm === null || tickSpacing === null || (venue.protocol === 'v3' && tickSpacing === 0)) return null;
  const record: PoolRecord = {
    pool,
    venue: venue.venue,
    kind: venue.kind,
    token0,
    token1,
    feePpm,
    tickSpacing,
    created: false,
  };
  return { record, factory };
}

/** Asks the factory for the pool of these tokens (and fee): the claim holds when it names this very contract. */
export function confirmationCall({ factory, venue }: KnownFactory, record: PoolRecord): ContractCall {
  const tokens = encodeAddress(record.token0) + encodeAddress(record.token1);
  return venue.protocol === 'v2'
    ? { to: factory, data: SELECTORS.getPair + tokens }
    : { to: factory, data: SELECTORS.getPool + tokens + encodeUint(record.feePpm) };
}

export function confirms(answer: string | null, pool: Hex): boolean {
  return address(answer) === pool;
}

function address(answer: string | null): Hex | null {
  return answer !== null && /^0{24}[0-9a-f]{40}$/.test(answer) ? answer.slice(24) : null;
}

function small(answer: string | null, max: number): number | null {
  if (answer === null || !/^0{52}[0-9a-f]{12}$/.test(answer)) return null;
  const value = Number.parseInt(answer.slice(52), 16);
  return value <= max ? value : null;
}
