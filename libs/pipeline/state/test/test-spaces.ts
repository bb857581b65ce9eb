import type { Hex } from '#libs/core/ids.js';
import type { Space } from '../space.js';

/** Two spaces as projections have them: a number by a long key, and records whose keys begin with their group. */
export const balances: Space<bigint> = {
  name: 'balances',
  version: 1,
  encode: (value) => Buffer.from(value.toString()),
  decode: (bytes) => BigInt(bytes.toString()),
};

export interface Tick {
  readonly gross: bigint;
  readonly net: bigint;
}

export const ticks: Space<Tick> = {
  name: 'ticks',
  version: 1,
  groupBytes: 2,
  encode: ({ gross, net }) => Buffer.from(`${gross} ${net}`),
  decode: (bytes) => {
    const [gross, net] = bytes.toString().split(' ');
    return { gross: BigInt(gross!), net: BigInt(net!) };
  },
};

/** Follows from the others, so that it is not in the hash. */
export const notes: Space<string> = {
  name: 'notes',
  version: 1,
  derived: true,
  encode: (value) => Buffer.from(value),
  decode: (bytes) => bytes.toString(),
};

export const testSpaces = [balances, ticks, notes] as const;

export const balanceKey = (at: number): Hex => (at * 7_919).toString(16).padStart(40, '0');
export const tickKey = (group: number, tick: number): Hex =>
  group.toString(16).padStart(4, '0') + (tick + 0x80000000).toString(16).padStart(8, '0');
