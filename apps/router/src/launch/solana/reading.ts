import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { isJsonRecord } from '#libs/chain/chains/solana/malformed.js';
import type { SolanaEndpoint } from '#libs/chain/chains/solana/rpc/endpoint.js';
import { readAccount } from '#libs/chain/chains/solana/rpc/node-accounts.js';
import type { Hex } from '#libs/core/ids.js';
import { type RecentBlockhash } from '../../solana/model/recent-blockhash.js';
import { readBlockhash } from '../../solana/swap/chain-reads.js';

/** What a create asks of the node before it is tried. */
export interface CreateReading {
  /** By id; null for one that is not there. */
  readonly accounts: ReadonlyMap<Hex, SolanaAccount | null>;
  /** Deposits of accounts of those sizes, in their order. */
  readonly rents: readonly bigint[];
  readonly blockhash: RecentBlockhash;
}

const COMMITMENT = { commitment: 'confirmed' };

export async function readForCreate(
  endpoint: SolanaEndpoint,
  accounts: readonly Hex[],
  sizes: readonly number[],
  signal: AbortSignal,
): Promise<CreateReading> {
  const held = { method: 'getMultipleAccounts', params: [accounts.map(solanaIds.formatAddress), config] };
  const deposits = sizes.map((size) => ({ method: 'getMinimumBalanceForRentExemption', params: [size] }));
  const [found, ...rents] = await endpoint.all<unknown>([held, ...deposits], signal);
  const value = isJsonRecord(found) ? found.value : null;
  if (!Array.isArray(value) || value.length !== accounts.length)
    throw endpoint.error('invalid', 'accounts that are no list');
  if (!rents.every((rent) => Number.isSafeInteger(rent) && (rent as number) >= 0))
    throw endpoint.error('invalid', 'a deposit that is no number');
  return {
    accounts: new Map(accounts.map((id, n) => [id, value[n] === null ? null : readAccount(endpoint, value[n])])),
    rents: rents.map((rent) => BigInt(rent as number)),
    blockhash: await readBlockhash(endpoint, signal),
  };
}

const config = { ...COMMITMENT, encoding: 'base64' };
