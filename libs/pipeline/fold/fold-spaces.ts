import type { Hex } from '#libs/core/ids.js';
import type { E36 } from '#libs/core/money.js';
import { prefixRange, type Space } from '#libs/pipeline/state/space.js';
import {
  type BlockProof,
  blockProofs,
  type ReferenceSet,
  type TickRecord,
  type TokenRecord,
} from '#libs/protocol/blocks.js';
import type { PriceFact } from '#libs/protocol/facts.js';
import { keyedSpaces } from './keyed-folds.js';
import type { SavedPool } from './pool-scalars.js';
import { BadStateError, StateReader, StateWriter } from './state-bytes.js';
import {
  readPoolRecord,
  readReference,
  readScalars,
  readTokenRecord,
  writePoolRecord,
  writeReference,
  writeScalars,
  writeToken,
} from './state-records.js';

/**
 * What the fold keeps, as spaces of a keyed state; those here are uncached, since its tables hold what they made of the values.
 * Invariant: no value grows with the chain; a pool's ticks and a token's pools are keys of their own. Guards follow from the rest and from the way to it: any two sets of them give the same facts.
 */

/** The epoch's first record, under one key. */
export interface ChainValue {
  readonly chain: string;
  readonly epoch: number;
  /** The block before the first one. */
  readonly height: number;
  readonly hash: Hex;
  readonly reference: ReferenceSet;
}

/** What changes with the chain as a whole, under one key. */
export interface HeadValue {
  /** USD of the coin, then of the stables by id. */
  readonly references: readonly (E36 | null)[];
  readonly poolsSetApart: number;
  /** How the newest block was checked; null where its source did not say. */
  readonly proof: BlockProof | null;
}

/** A token that a record or a pool names. */
export interface SavedToken {
  readonly record: TokenRecord | null;
  /** Null: no pool prices it. */
  readonly price: PriceFact | null;
  /** How much of it is in pools against other tokens that are neither coin nor stable. */
  readonly pooled: bigint;
}

/** A range of the quote token's price in USD. */
export interface Bounds {
  readonly lo: number;
  readonly hi: number;
}

/** Used again by each encoding: the state copies what it gets before it asks for the next. */
const w = new StateWriter();

function encoded(write: () => void): Uint8Array {
  w.reset();
  write();
  return w.written();
}

function decoded<T>(bytes: Buffer, read: (r: StateReader) => T): T {
  const r = new StateReader(bytes);
  const value = read(r);
  r.end();
  return value;
}

export const THE_ONE_KEY: Hex = '00';

export const chainSpace: Space<ChainValue> = {
  name: 'chain',
  version: 1,
  uncached: true,
  encode: ({ chain, epoch, height, hash, reference }) =>
    encoded(() => {
      w.text(chain);
      w.uint(epoch);
      w.uint(height + 1);
      w.hex(hash);
      writeReference(w, reference);
    }),
  decode: (bytes) =>
    decoded(bytes, (r) => ({
      ...{ chain: r.text(), epoch: r.uint(), height: r.uint() - 1, hash: r.hex() },
      reference: readReference(r),
    })),
};

export const headSpace: Space<HeadValue> = {
  name: 'head',
  version: 1,
  uncached: true,
  encode: ({ references, poolsSetApart, proof }) =>
    encoded(() => {
      w.uint(references.length);
      for (const usd of references) w.optional(usd, (value) => w.bigint(value));
      w.uint(poolsSetApart);
      // States of programs before end here, and so do those that have nothing to say.
      if (proof !== null) w.byte(blockProofs.indexOf(proof));
    }),
  decode: (bytes) =>
    decoded(bytes, (r) => ({
      references: r.list(() => r.optional(() => r.bigint())),
      poolsSetApart: r.uint(),
      proof: r.atEnd ? null : readProof(r),
    })),
};

function readProof(r: StateReader): BlockProof {
  const proof = blockProofs[r.byte()];
  if (proof === undefined) throw new BadStateError('a block with an unknown proof');
  return proof;
}

export const poolSpace: Space<SavedPool> = {
  name: 'pools',
  version: 1,
  uncached: true,
  encode: (pool) =>
    encoded(() => {
      writePoolRecord(w, pool.record);
      writeScalars(w, pool);
    }),
  decode: (bytes) => decoded(bytes, (r) => ({ record: readPoolRecord(r), ...readScalars(r) })),
};

export const tickSpace: Space<TickRecord> = {
  name: 'ticks',
  version: 1,
  uncached: true,
  groupBytes: 21,
  encode: ({ tick, liquidityGross, liquidityNet }) =>
    encoded(() => {
      w.int(tick);
      w.bigint(liquidityGross);
      w.bigint(liquidityNet);
    }),
  decode: (bytes) => decoded(bytes, (r) => ({ tick: r.int(), liquidityGross: r.bigint(), liquidityNet: r.bigint() })),
};

export const tokenSpace: Space<SavedToken> = {
  name: 'tokens',
  version: 2,
  uncached: true,
  encode: ({ record, price, pooled }) =>
    encoded(() => {
      w.optional(record, (known) => writeToken(w, known));
      w.optional(price, ({ token, pool, quote, spot, level, backing }) => {
        w.hex(token);
        w.hex(pool!);
        w.hex(quote!);
        w.bigint(spot!);
        w.uint(level);
        w.text(backing!);
      });
      w.bigint(pooled);
    }),
  decode: (bytes) =>
    decoded(bytes, (r) => ({
      record: r.optional(() => readTokenRecord(r)),
      price: r.optional(() => ({
        ...{ token: r.hex(), pool: r.hex(), quote: r.hex(), spot: r.bigint(), level: r.uint(), backing: r.text() },
      })),
      pooled: r.bigint(),
    })),
};

const PRESENT = Buffer.from([1]);

/** Which pools can price a token: those against the coin and stables, those against all others, and of these the ones against tokens that coin or stables price. */
export const tokenPoolSpace: Space<true> = {
  name: 'token-pools',
  version: 1,
  uncached: true,
  groupBytes: 21,
  encode: () => PRESENT,
  decode: () => true,
};

const boundsSpace = (name: string): Space<Bounds> => ({
  name,
  version: 1,
  uncached: true,
  groupBytes: 21,
  derived: true,
  encode: ({ lo, hi }) => {
    doubles.writeDoubleBE(lo, 0);
    doubles.writeDoubleBE(hi, 8);
    return doubles;
  },
  decode: (bytes) => ({ lo: bytes.readDoubleBE(0), hi: bytes.readDoubleBE(8) }),
});
const doubles = Buffer.alloc(16);

/** The guards of a token, by the quote tokens that they watch. */
export const guardSpace = boundsSpace('guards');
/** The guards on a quote token, by their lower and by their upper end. */
export const lowGuardSpace = boundsSpace('guards-low');
export const highGuardSpace = boundsSpace('guards-high');

/** Values by key that a fold keeps in memory in addition to the store: a few hundred bytes each. */
export const FOLD_CACHE_ENTRIES = 50_000;

export const foldSpaces = [
  ...[chainSpace, headSpace, poolSpace, tickSpace, tokenSpace, tokenPoolSpace],
  ...[guardSpace, lowGuardSpace, highGuardSpace],
  ...keyedSpaces,
] as unknown as readonly Space<never>[];

// Keys. Ids of one chain have several widths: an id that is not the last part goes with its length.

const sized = (id: Hex): Hex => (id.length / 2).toString(16).padStart(2, '0') + id;

export const tickKey = (pool: Hex, tick: number): Hex =>
  sized(pool) + (tick + 0x8000_0000).toString(16).padStart(8, '0');

/** The pool of a tick's key. */
export const poolOfTickKey = (key: Hex): Hex => key.slice(2, -8);
export const tickOfTickKey = (key: Hex): number => Number.parseInt(key.slice(-8), 16) - 0x8000_0000;

export const ticksOf = (pool: Hex) => prefixRange(sized(pool));

/** Pools against coin or stables (0), or against other tokens (1), of which some count as money (2). */
export type PoolSide = 0 | 1 | 2;

export const tokenPoolsPrefix = (token: Hex, side: PoolSide): Hex => `${sized(token)}0${side}`;

/** Guards on coin and stables (0), on the exit rates of tokens of level 2 (1), and those that cover all guards on such a rate (2). */
export type GuardKind = 0 | 1 | 2;

export const guardsPrefix = (token: Hex, kind: GuardKind): Hex => `${sized(token)}0${kind}`;

/** Prices are not negative: the bits of their doubles have the order of the numbers. */
export function orderedDouble(value: number): Hex {
  doubles.writeDoubleBE(value + 0, 0);
  return doubles.toString('hex', 0, 8);
}
