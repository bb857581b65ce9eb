import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { isJsonRecord } from '#libs/chain/chains/solana/malformed.js';
import type { SolanaEndpoint } from '#libs/chain/chains/solana/rpc/endpoint.js';
import { readAccount } from '#libs/chain/chains/solana/rpc/node-accounts.js';
import type { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import type { SlotReading } from './book-pool.js';

/** The most accounts that nodes take in one question. */
export const MOST_ACCOUNTS = 100;
const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
const UNIX_TIME_AT = 32;

export type ReadCommitment = 'processed' | 'confirmed';

/**
 * Accounts of one slot: one question, one answer. Invariant: all accounts of a reading are of the slot that it names, with
 * the chain's clock as it was there; nothing older than `minSlot` is taken.
 */
export async function readSlot(
  nodes: SolanaPool,
  addresses: readonly string[],
  commitment: ReadCommitment,
  minSlot: number,
  signal: AbortSignal,
): Promise<SlotReading> {
  if (addresses.length >= MOST_ACCOUNTS) throw new RangeError(`${addresses.length} accounts do not fit one question`);
  return nodes.use(async (endpoint) => {
    const askedAt = performance.now();
    const asked = [...addresses, CLOCK];
    const config = { commitment, encoding: 'base64', minContextSlot: minSlot };
    const answer = await endpoint.call<unknown>('getMultipleAccounts', [asked, config], signal);
    const { context, value } = isJsonRecord(answer) ? answer : {};
    if (!isJsonRecord(context) || !Number.isSafeInteger(context.slot) || !Array.isArray(value)) {
      throw endpoint.error('invalid', 'accounts that are no list with its slot');
    }
    const slot = context.slot as number;
    if (value.length !== asked.length) throw endpoint.error('invalid', `${value.length} accounts for ${asked.length}`);
    if (slot < minSlot) throw endpoint.error('server', `accounts of slot ${slot}, behind ${minSlot}`);
    const accounts = value.map((account) => (account === null ? null : readAccount(endpoint, account)));
    const known = new Map(addresses.map((address, n) => [address, accounts[n]!]));
    return { moment: { slot: BigInt(slot), unixTime: unixTime(endpoint, accounts.at(-1)!) }, askedAt, known };
  }, signal);
}

function unixTime(endpoint: SolanaEndpoint, clock: SolanaAccount | null): bigint {
  if (clock === null || clock.data.length < UNIX_TIME_AT + 8) throw endpoint.error('invalid', 'no clock of the chain');
  const { buffer, byteOffset } = clock.data;
  return new DataView(buffer, byteOffset).getBigInt64(UNIX_TIME_AT, true);
}
