import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Json } from '#libs/chain/chains/solana/malformed.js';
import { readSolanaTransaction } from '#libs/chain/chains/solana/read-transaction.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';

export interface RecordedTransaction {
  readonly name: string;
  readonly answer: Json;
}

/** Real transactions of mainnet: a file of the decoder's fixtures, where their sources are named. */
export function recordedTransactions(file: string): RecordedTransaction[] {
  const path = join(process.cwd(), 'apps/cli/src/decode/fixtures', file);
  return JSON.parse(gunzipSync(readFileSync(path)).toString());
}

export const readRecorded = (answer: Json): SolanaTransaction => readSolanaTransaction(answer);
