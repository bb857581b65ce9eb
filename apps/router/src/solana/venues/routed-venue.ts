import type { KnownAccounts } from '#libs/chain/chains/solana/accounts.js';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { readMint } from '#libs/chain/chains/solana/token/mint.js';
import { isTokenAccount } from '#libs/chain/chains/solana/token-account.js';
import type { SolanaVenueModule } from '#libs/chain/market-ports/solana/module.js';
import type { SolanaPoolVenue } from '#libs/chain/market-ports/solana/pool-quotes.js';
import type { SolanaSwapInstructions } from '#libs/chain/market-ports/solana/swap-instructions.js';

/**
 * Extensions of mints that leave tokens where they are; the swap program refuses a mint with any other one. A mint with a fee
 * on transfers is not routed: what reaches the wallet is then less than what leaves a pool.
 */
const HARMLESS: ReadonlySet<string> = new Set([
  'transferFeeConfig',
  'mintCloseAuthority',
  'confidentialTransferMint',
  'interestBearingConfig',
  'confidentialTransferFeeConfig',
  'metadataPointer',
  'tokenMetadata',
  'groupPointer',
  'tokenGroup',
  'groupMemberPointer',
  'tokenGroupMember',
  'scaledUiAmountConfig',
]);

const NO_WALLET = { trader: SYSTEM_PROGRAM, inputAccount: SYSTEM_PROGRAM, outputAccount: SYSTEM_PROGRAM };

/**
 * The pools of a venue as routes use them. Invariant: a pool has a state only where its instruction can be written too,
 * and where the swap program takes its mints.
 */
export function routedVenue({ pools, instructions }: SolanaVenueModule): SolanaPoolVenue | null {
  if (pools === null || instructions === null) return pools;
  return {
    venue: pools.venue,
    program: pools.program,
    identity: (data) => pools.identity(data),
    needs: (pool, known, mints) => [...pools.needs(pool, known, mints), ...instructions.needs(pool, known, mints)],
    read: (pool, known, at, mints) =>
      instructions.needs(pool, known, mints).every((address) => isRouted(known, address)) &&
      isWritten(instructions, pool, known, mints)
        ? pools.read(pool, known, at, mints)
        : null,
  };
}

/** Whether there is an instruction in either direction: some pools take none of those that routes use. */
function isWritten(
  instructions: SolanaSwapInstructions,
  pool: string,
  known: KnownAccounts,
  mints?: readonly string[],
): boolean {
  const order = { pool, exact: 'in' as const, amount: 0n, limit: 0n, ...NO_WALLET };
  return [true, false].some((aToB) => instructions.write({ ...order, aToB }, known, mints) !== null);
}

/** Whether the swap program takes a mint. A token account passes, because its mint is among the accounts too. */
function isRouted(known: KnownAccounts, address: string): boolean {
  const account = known.get(address);
  if (account?.owner !== TOKEN_2022_PROGRAM) return true;
  if (isTokenAccount(account.data)) return true;
  const mint = readMint(account);
  return mint !== null && mint.transferFeeBps === 0 && mint.extensions.every((name) => HARMLESS.has(name));
}
