import type { SolanaAccount } from '../accounts.js';
import { isJsonRecord } from '../malformed.js';
import type { SolanaEndpoint } from './endpoint.js';

/** The most accounts that nodes take in one question. */
const MOST_ACCOUNTS = 100;

/** Accounts as one node has them, at `minSlot` or later; null for one that does not exist. Base58 addresses. */
export async function fetchAccounts(
  endpoint: SolanaEndpoint,
  addresses: readonly string[],
  minSlot: number,
  signal: AbortSignal,
): Promise<(SolanaAccount | null)[]> {
  const config = { commitment: 'confirmed', encoding: 'base64', minContextSlot: minSlot };
  const found: (SolanaAccount | null)[] = [];
  for (let start = 0; start < addresses.length; start += MOST_ACCOUNTS) {
    const part = addresses.slice(start, start + MOST_ACCOUNTS);
    const answer = await endpoint.call<unknown>('getMultipleAccounts', [part, config], signal);
    const { context, value } = isJsonRecord(answer) ? answer : {};
    if (!isJsonRecord(context) || typeof context.slot !== 'number' || !Array.isArray(value)) {
      throw endpoint.error('invalid', 'accounts that are no list with its slot');
    }
    if (value.length !== part.length) throw endpoint.error('invalid', `${value.length} accounts for ${part.length}`);
    if (context.slot < minSlot) throw endpoint.error('server', `accounts of slot ${context.slot}, behind ${minSlot}`);
    for (const account of value) found.push(account === null ? null : readAccount(endpoint, account));
  }
  return found;
}

export function readAccount(endpoint: SolanaEndpoint, value: unknown): SolanaAccount {
  if (isJsonRecord(value) && typeof value.owner === 'string' && Array.isArray(value.data)) {
    const [text, encoding] = value.data as unknown[];
    const { lamports } = value;
    if (typeof text === 'string' && encoding === 'base64' && typeof lamports === 'number' && lamports >= 0) {
      return { owner: value.owner, lamports: BigInt(lamports), data: new Uint8Array(Buffer.from(text, 'base64')) };
    }
  }
  throw endpoint.error('invalid', 'an account without owner, lamports or data');
}
