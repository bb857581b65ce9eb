import type { Hex } from '#libs/core/ids.js';
import type { PoolKeys } from '../amm-client.js';
import { Fields } from '../instruction.js';

/** What the accounts and the events of pools hold, for tests. */
const POOL_BYTES = 208;

/** Null for data that is no pool. */
export function readAmmPool(id: Hex, data: Uint8Array): PoolKeys | null {
  const f = new Fields(data);
  if (f.length !== POOL_BYTES || f.tag() !== 'TPAMMPL1') return null;
  const [mintA, mintB, vaultA, vaultB, shareMint, creator] = [8, 40, 72, 104, 136, 168].map(f.id) as [
    Hex,
    Hex,
    Hex,
    Hex,
    Hex,
    Hex,
  ];
  return { id, mintA, mintB, vaultA, vaultB, shareMint, creator, feeBps: f.u16(200) };
}

export type PoolEvent =
  | { kind: 'pool'; pool: Hex; mintA: Hex; mintB: Hex; creator: Hex; feeBps: number }
  | {
      kind: 'swap';
      pool: Hex;
      user: Hex;
      aToB: boolean;
      input: bigint;
      output: bigint;
      reserveIn: bigint;
      reserveOut: bigint;
    }
  | {
      kind: 'add' | 'remove';
      pool: Hex;
      user: Hex;
      a: bigint;
      b: bigint;
      shares: bigint;
      reserveA: bigint;
      reserveB: bigint;
      supply: bigint;
    };

/** An event out of the bytes of a `Program data:` line of the program; null for anything else. */
export function readPoolEvent(data: Uint8Array): PoolEvent | null {
  const f = new Fields(data);
  const tag = f.tag();
  if (tag === 'TPPOOLN1' && f.length === 144) {
    const [pool, mintA, mintB, creator] = [8, 40, 72, 104].map(f.id) as [Hex, Hex, Hex, Hex];
    return { kind: 'pool', pool, mintA, mintB, creator, feeBps: Number(f.u64(136)) };
  }
  if (tag === 'TPSWAPE1' && f.length === 112) {
    const [input, output, reserveIn, reserveOut] = [80, 88, 96, 104].map(f.u64) as [bigint, bigint, bigint, bigint];
    return {
      kind: 'swap',
      pool: f.id(8),
      user: f.id(40),
      aToB: f.u64(72) === 1n,
      input,
      output,
      reserveIn,
      reserveOut,
    };
  }
  if ((tag === 'TPLIQAD1' || tag === 'TPLIQRM1') && f.length === 120) {
    const [a, b, shares, reserveA, reserveB, supply] = [72, 80, 88, 96, 104, 112].map(f.u64) as [
      bigint,
      bigint,
      bigint,
      bigint,
      bigint,
      bigint,
    ];
    const kind = tag === 'TPLIQAD1' ? 'add' : 'remove';
    return { kind, pool: f.id(8), user: f.id(40), a, b, shares, reserveA, reserveB, supply };
  }
  return null;
}
