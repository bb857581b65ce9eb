import type { Hex } from '#libs/core/ids.js';
import { type Curve, type PoolKeys, readCurve } from '#programs/client.js';
import type { LocalSolana } from '../local-solana.js';
import { base58, type ListedCurve, type MarketListing } from './market-listing.js';
import { poolIn, poolOut } from './program-amounts.js';

/** What traders see after the newest block. Every account is read once; a view is for the plan of one block. */
export interface Reserves {
  a: bigint;
  b: bigint;
}

const ACCOUNT_BYTES = 165;
const SUPPLY_AT = 36;
const AMOUNT_AT = 64;
/** Curves are launched in order; one that a fork took away leaves a gap. */
const GAP = 3;

export class MarketView {
  private readonly read = new Map<Hex, { data: Buffer; lamports: bigint } | null>();

  constructor(private readonly chain: Pick<LocalSolana, 'account'>) {}

  private account(id: Hex): { data: Buffer; lamports: bigint } | null {
    let found = this.read.get(id);
    if (found === undefined) {
      const account = this.chain.account(base58(id));
      found = account ? { data: Buffer.from(account.data), lamports: account.lamports } : null;
      this.read.set(id, found);
    }
    return found;
  }

  exists(id: Hex): boolean {
    return this.account(id) !== null;
  }

  lamports(id: Hex): bigint {
    return this.account(id)?.lamports ?? 0n;
  }

  /** Balance of a token account; 0 where none is. */
  held(id: Hex): bigint {
    const data = this.account(id)?.data;
    return data && data.length >= ACCOUNT_BYTES ? data.readBigUInt64LE(AMOUNT_AT) : 0n;
  }

  supply(mint: Hex): bigint {
    return this.account(mint)?.data.readBigUInt64LE(SUPPLY_AT) ?? 0n;
  }

  hasMintAuthority(mint: Hex): boolean {
    return this.account(mint)?.data.readUInt32LE(0) === 1;
  }

  /** Null for a pool that is not there or holds nothing. */
  reserves({ vaultA, vaultB }: PoolKeys): Reserves | null {
    const [a, b] = [this.held(vaultA), this.held(vaultB)];
    return a > 0n && b > 0n ? { a, b } : null;
  }

  /** What a pool pays for an input, or asks for an output; null where it refuses. */
  poolQuote(pool: PoolKeys, mintIn: Hex, mode: 'exactIn' | 'exactOut', amount: bigint): bigint | null {
    const held = this.reserves(pool);
    if (held === null) return null;
    const [reserveIn, reserveOut] = mintIn === pool.mintA ? [held.a, held.b] : [held.b, held.a];
    return (mode === 'exactIn' ? poolOut : poolIn)(reserveIn, reserveOut, amount, BigInt(pool.feeBps));
  }

  curve({ keys }: ListedCurve): Curve | null {
    const data = this.account(keys.id)?.data;
    return data ? readCurve(keys.id, data) : null;
  }

  /** Curves that are on the chain, and the first index that is free. */
  curves(listing: MarketListing): { known: { listed: ListedCurve; state: Curve }[]; next: number } {
    const known: { listed: ListedCurve; state: Curve }[] = [];
    let next: number | null = null;
    for (let index = 0, missing = 0; missing < GAP; index++) {
      const listed = listing.curve(index);
      const state = this.curve(listed);
      if (state) known.push({ listed, state });
      else {
        missing++;
        next ??= index;
      }
    }
    return { known, next: next as number };
  }
}
