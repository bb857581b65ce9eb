import type { ChainMoment, KnownAccounts, SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { encodeBase58 } from '#libs/core/base58.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { SolanaPoolState, SolanaPoolVenue } from '../pool-quotes.js';

/** Accounts and amounts for quotes of Solana venues in the tests, in the byte layouts that the programs use. */
export class QuoteWorld {
  readonly known = new Map<string, SolanaAccount | null>();

  constructor(readonly random: SeededRandom) {}

  key(): string {
    return encodeBase58(Buffer.from(this.random.hex(32), 'hex'));
  }

  put(address: string, owner: string, data: Uint8Array): string {
    this.known.set(address, { owner, lamports: 1n, data: Uint8Array.from(data) });
    return address;
  }

  vault(address: string, mint: Uint8Array, amount: bigint): string {
    const data = Buffer.alloc(165);
    data.set(mint);
    data.writeBigUInt64LE(amount, 64);
    data[108] = 1;
    return this.put(address, TOKEN_PROGRAM, data);
  }

  mint(address: string, supply: bigint): string {
    const data = Buffer.alloc(82);
    data.writeBigUInt64LE(supply, 36);
    data[45] = 1;
    return this.put(address, TOKEN_PROGRAM, data);
  }

  /** From 1 to 2^bits, every order of magnitude alike. */
  amount(bits: number): bigint {
    const size = this.random.int(1, bits);
    return BigInt.asUintN(size, BigInt(`0x${this.random.hex(8)}`)) + 1n;
  }

  below(limit: bigint): bigint {
    return limit <= 1n ? 0n : BigInt(`0x${this.random.hex(16)}`) % limit;
  }
}

export const NOON: ChainMoment = { slot: 300_000_000n, unixTime: 1_790_000_000n };

/** The state read after asking for accounts until nothing more is wanted. */
export function readPool<V extends SolanaPoolVenue>(
  venue: V,
  pool: string,
  world: { readonly known: KnownAccounts },
  at = NOON,
  mints: readonly string[] = [],
): ReturnType<V['read']> {
  const asked = new Map([[pool, world.known.get(pool) ?? null]]);
  for (;;) {
    const missing = venue.needs(pool, asked, mints).filter((address) => !asked.has(address));
    if (missing.length === 0) return venue.read(pool, asked, at, mints) as ReturnType<V['read']>;
    for (const address of missing) asked.set(address, world.known.get(address) ?? null);
  }
}

/** An exact output costs the least input that gives as much; says whether there was one. */
export function expectLeastInput(state: SolanaPoolState, aToB: boolean, wanted: bigint): boolean {
  const swap = state.exactOut(aToB, wanted);
  if (swap === null) return false;
  const given = state.exactIn(aToB, swap.amountIn);
  const less = state.exactIn(aToB, swap.amountIn - 1n);
  expect({ wanted, swap, enough: (given?.amountOut ?? 0n) >= wanted }).toEqual({ wanted, swap, enough: true });
  expect({ wanted, swap, less: (less?.amountOut ?? 0n) < wanted }).toEqual({ wanted, swap, less: true });
  return true;
}

/** Whatever bytes the accounts hold, a venue answers or gives null. */
export function expectNoThrow(venue: SolanaPoolVenue, pool: string, world: QuoteWorld): void {
  const whole = new Map(world.known);
  for (const [address, account] of whole) {
    const { data, owner, lamports } = account!;
    const spoilt = [...Array.from({ length: 40 }, () => world.random.int(0, data.length - 1)), 0, 7, 8].map((length) =>
      data.slice(0, length),
    );
    for (let i = 0; i < 40; i++) {
      const bytes = Uint8Array.from(data);
      for (let n = 0; n < 4; n++) bytes[world.random.int(0, data.length - 1)] = world.random.pick([0, 1, 127, 255]);
      spoilt.push(bytes);
    }
    for (const bytes of spoilt) {
      world.known.set(address, { owner, lamports, data: bytes });
      if (address === pool) venue.identity(bytes);
      const state = readPool(venue, pool, world);
      for (const aToB of [true, false]) {
        state?.exactIn(aToB, 1_000_000n);
        state?.exactOut(aToB, 1_000_000n);
      }
    }
    // Shorter than the fields that a quote needs: no pool at all.
    world.known.set(address, { owner, lamports, data: data.slice(0, 24) });
    expect(readPool(venue, pool, world)).toBeNull();
    if (address === pool) expect(venue.identity(data.slice(0, 24))).toBeNull();
    world.known.set(address, null);
    expect(readPool(venue, pool, world)).toBeNull();
    world.known.set(address, { owner: pool, lamports, data });
    expect(readPool(venue, pool, world)).toBeNull();
    world.known.set(address, { owner, lamports, data: Uint8Array.from([...data, ...new Uint8Array(64)]) });
    const longer = readPool(venue, pool, world);
    // Token accounts say their kind in what follows.
    if (data.length !== 165 && data.length !== 82) expect(longer).not.toBeNull();
    world.known.set(address, account);
  }
  expect(readPool(venue, pool, world)).not.toBeNull();
}
