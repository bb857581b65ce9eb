import type { ChainMoment, SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { TOKEN_PROGRAM, WRAPPED_SOL } from '#libs/chain/chains/solana/programs.js';
import type { SolanaVenueModule } from '#libs/chain/market-ports/solana/module.js';
import { decodeBase58, encodeBase58 } from '#libs/core/base58.js';

/** A pool that a deployed program takes, with all accounts that it reads. */
export interface GenuinePool {
  readonly module: SolanaVenueModule;
  readonly address: string;
  /** Null: there is none, whatever was there before. */
  readonly accounts: Map<string, SolanaAccount | null>;
  readonly mints: readonly [string, string];
  readonly vaults: readonly [string, string];
  /** Token programs of the two mints. */
  readonly programs: readonly [string, string];
  /** Owner of the vaults. */
  readonly authority: string;
  readonly at: ChainMoment;
  /** About the most that is worth trying on each side. */
  readonly sizes: readonly [bigint, bigint];
  /** Amounts that are tried more often than others of their size. */
  readonly edges?: readonly bigint[];
}

const [MINT_BYTES, TOKEN_BYTES] = [82, 165];
const TOKEN_RENT = 2_039_280n;

/** All accounts of a pool as a chain has them: the vaults belong to who signs for them, and no mint is missing. */
export function wholeAccounts({
  accounts,
  vaults,
  authority,
  mints,
  programs,
}: GenuinePool): Map<string, SolanaAccount | null> {
  const whole = new Map(accounts);
  vaults.forEach((address, side) => {
    const data = Buffer.from(accounts.get(address)!.data);
    data.set(decodeBase58(authority)!, 32);
    whole.set(address, { owner: programs[side]!, lamports: 10n ** 9n, data });
  });
  mints.forEach((mint, side) => {
    if (accounts.has(mint)) return;
    const data = Buffer.alloc(MINT_BYTES);
    data.writeBigUInt64LE((1n << 64n) - 1n, 36);
    data[44] = 6;
    data[45] = 1;
    whole.set(mint, { owner: programs[side]!, lamports: 10n ** 9n, data });
  });
  for (const [address, account] of whole) if (account !== null) whole.set(address, wrapped(account));
  return whole;
}

/** An account of wrapped coins has them as lamports besides its rent, and says so. */
function wrapped(account: SolanaAccount): SolanaAccount {
  const { data, owner } = account;
  const isOfCoins = data.length === TOKEN_BYTES && encodeBase58(data.subarray(0, 32)) === WRAPPED_SOL;
  if (owner !== TOKEN_PROGRAM || !isOfCoins) return account;
  const bytes = Buffer.from(data);
  bytes.writeUInt32LE(1, 109);
  bytes.writeBigUInt64LE(TOKEN_RENT, 113);
  return { owner, lamports: bytes.readBigUInt64LE(64) + TOKEN_RENT, data: bytes };
}
