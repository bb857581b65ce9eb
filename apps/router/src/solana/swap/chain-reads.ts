import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { isJsonRecord } from '#libs/chain/chains/solana/malformed.js';
import type { SolanaEndpoint } from '#libs/chain/chains/solana/rpc/endpoint.js';
import { readAccount } from '#libs/chain/chains/solana/rpc/node-accounts.js';
import type { Hex } from '#libs/core/ids.js';
import type { RecentBlockhash } from '../model/recent-blockhash.js';

/** What one batch of calls reads for a build: accounts of the wallet, sizes of all loaded accounts, recent fees, a blockhash. */
export interface BuildReading {
  /** By id; null for one that is not there. */
  readonly accounts: ReadonlyMap<Hex, SolanaAccount | null>;
  /** Bytes of each account that is there. */
  readonly sizes: readonly number[];
  /** Micro-lamports a compute unit, of recent blocks. */
  readonly prices: readonly bigint[];
  /** Deposit of a token account. */
  readonly tokenRent: bigint;
  readonly blockhash: RecentBlockhash;
}

/** Which accounts that batch asks about. */
export interface ReadWishes {
  readonly accounts: readonly Hex[];
  /** At most 100. */
  readonly sized: readonly Hex[];
  /** Accounts whose recent fees count; null: none are asked for. */
  readonly priced: readonly Hex[] | null;
}

const COMMITMENT = { commitment: 'confirmed' };
const TOKEN_ACCOUNT_BYTES = 165;
/** Most accounts that nodes take in a question for recent fees. */
const MOST_PRICED = 128;

export async function readForBuild(
  endpoint: SolanaEndpoint,
  { accounts, sized, priced }: ReadWishes,
  signal: AbortSignal,
): Promise<BuildReading> {
  const text = (ids: readonly Hex[]) => ids.map(solanaIds.formatAddress);
  const none = { offset: 0, length: 0 };
  const calls = [
    { method: 'getMultipleAccounts', params: [text(accounts), { ...COMMITMENT, encoding: 'base64' }] },
    { method: 'getMultipleAccounts', params: [text(sized), { ...COMMITMENT, encoding: 'base64', dataSlice: none }] },
    { method: 'getMinimumBalanceForRentExemption', params: [TOKEN_ACCOUNT_BYTES] },
    { method: 'getLatestBlockhash', params: [COMMITMENT] },
    ...(priced === null
      ? []
      : [{ method: 'getRecentPrioritizationFees', params: [text(priced.slice(0, MOST_PRICED))] }]),
  ];
  const [held, sizes, rent, blockhash, fees = []] = await endpoint.all<unknown>(calls, signal);
  if (!Number.isSafeInteger(rent)) throw endpoint.error('invalid', 'a deposit that is no number');
  const found = listOf(endpoint, held, accounts.length);
  return {
    accounts: new Map(accounts.map((id, n) => [id, found[n] === null ? null : readAccount(endpoint, found[n])])),
    sizes: listOf(endpoint, sizes, sized.length).map((account) => sizeOf(endpoint, account)),
    prices: pricesOf(endpoint, fees),
    tokenRent: BigInt(rent as number),
    blockhash: blockhashOf(endpoint, blockhash),
  };
}

export async function readBlockhash(endpoint: SolanaEndpoint, signal: AbortSignal): Promise<RecentBlockhash> {
  return blockhashOf(endpoint, await endpoint.call<unknown>('getLatestBlockhash', [COMMITMENT], signal));
}

/** How a simulation ended. */
export interface Simulated {
  readonly slot: number;
  /** Null when it succeeded. */
  readonly error: unknown;
  readonly logs: readonly string[];
  readonly units: number;
  /** Null where the node does not say. */
  readonly loadedBytes: number | null;
  /** The watched accounts as the transaction leaves them; null for one that does not exist. */
  readonly accounts: readonly (SolanaAccount | null)[];
}

/** Simulates an unsigned transaction at the head; `watched`: accounts to be shown as it leaves them. */
export async function simulate(
  endpoint: SolanaEndpoint,
  bytes: Buffer,
  signal: AbortSignal,
  watched: readonly Hex[] = [],
): Promise<Simulated> {
  const addresses = watched.map(solanaIds.formatAddress);
  const config = {
    ...{ ...COMMITMENT, encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true },
    ...(watched.length === 0 ? {} : { accounts: { encoding: 'base64', addresses } }),
  };
  const answer = await endpoint.call<unknown>('simulateTransaction', [bytes.toString('base64'), config], signal);
  const { context, value } = isJsonRecord(answer) ? answer : {};
  if (!isJsonRecord(context) || !Number.isSafeInteger(context.slot) || !isJsonRecord(value)) {
    throw endpoint.error('invalid', 'a simulation without a result');
  }
  const { err, logs, unitsConsumed, loadedAccountsDataSize } = value;
  if (err === null && !Number.isSafeInteger(unitsConsumed))
    throw endpoint.error('invalid', 'a simulation without units');
  const shown = err === null && watched.length > 0 ? value.accounts : [];
  if (!Array.isArray(shown) || (err === null && shown.length !== watched.length))
    throw endpoint.error('invalid', 'a simulation without the accounts that were asked for');
  return {
    accounts: shown.map((account) => (account === null ? null : readAccount(endpoint, account))),
    slot: context.slot as number,
    error: err ?? null,
    logs: Array.isArray(logs) ? logs.filter((line): line is string => typeof line === 'string') : [],
    units: Number(unitsConsumed ?? 0),
    loadedBytes: Number.isSafeInteger(loadedAccountsDataSize) ? (loadedAccountsDataSize as number) : null,
  };
}

function listOf(endpoint: SolanaEndpoint, answer: unknown, length: number): unknown[] {
  const value = isJsonRecord(answer) ? answer.value : null;
  if (!Array.isArray(value) || value.length !== length) throw endpoint.error('invalid', 'accounts that are no list');
  return value;
}

function sizeOf(endpoint: SolanaEndpoint, account: unknown): number {
  if (account === null) return 0;
  const space = isJsonRecord(account) ? account.space : null;
  if (!Number.isSafeInteger(space)) throw endpoint.error('invalid', 'an account without its size');
  return space as number;
}

function pricesOf(endpoint: SolanaEndpoint, answer: unknown): bigint[] {
  if (!Array.isArray(answer)) throw endpoint.error('invalid', 'recent fees that are no list');
  return answer.map((entry) => {
    const price = isJsonRecord(entry) ? entry.prioritizationFee : null;
    if (!Number.isSafeInteger(price)) throw endpoint.error('invalid', 'a recent fee that is no number');
    return BigInt(price as number);
  });
}

function blockhashOf(endpoint: SolanaEndpoint, answer: unknown): RecentBlockhash {
  const value = isJsonRecord(answer) ? answer.value : null;
  const { blockhash, lastValidBlockHeight } = isJsonRecord(value) ? value : {};
  const id = typeof blockhash === 'string' ? solanaIds.parseAddress(blockhash) : null;
  if (id === null || !Number.isSafeInteger(lastValidBlockHeight)) throw endpoint.error('invalid', 'no blockhash');
  return {
    bytes: Buffer.from(id, 'hex'),
    blockhash: blockhash as string,
    lastValidBlockHeight: lastValidBlockHeight as number,
  };
}
