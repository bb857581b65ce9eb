import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { getBase58Decoder, getBase58Encoder } from '@solana/kit';
import { type DecodedTrade, decodeDocument } from '#apps/cli/src/decode/decode-document.js';

/** Recorded transactions and what reads them without any of the program's own decoders: the public SDK's base58 codec. */
export const toText = (bytes: Uint8Array): string => getBase58Decoder().decode(bytes);
export const toBytes = (text: string): Uint8Array => Uint8Array.from(getBase58Encoder().encode(text));

export interface RawInstruction {
  programIdIndex: number;
  accounts: number[];
  data: string;
  programId?: string;
  parsed?: { type: string; info: Record<string, never> };
  stackHeight?: number | null;
}
interface Balance {
  accountIndex: number;
  mint: string;
  owner?: string;
  uiTokenAmount: { amount: string };
}
export interface Answer {
  slot: number;
  meta: {
    err: unknown;
    fee: number;
    innerInstructions?: { index: number; instructions: RawInstruction[] }[] | null;
    loadedAddresses?: { writable: string[]; readonly: string[] };
    preBalances: number[];
    postBalances: number[];
    preTokenBalances: Balance[];
    postTokenBalances: Balance[];
  };
  transaction: {
    signatures: string[];
    message: {
      accountKeys: (string | { pubkey: string })[];
      header: { numRequiredSignatures: number; numReadonlySignedAccounts: number; numReadonlyUnsignedAccounts: number };
      recentBlockhash: string;
      instructions: RawInstruction[];
      addressTableLookups?: { accountKey: string; writableIndexes: number[]; readonlyIndexes: number[] }[];
    };
  };
  version: 'legacy' | 0;
}
export interface Recorded {
  name: string;
  answer: Answer;
}

export const recorded: Recorded[] = JSON.parse(
  gunzipSync(readFileSync(join(process.cwd(), 'apps/cli/src/decode/fixtures/solana-transactions.json.gz'))).toString(),
);
export const trades = (document: unknown): DecodedTrade[] => decodeDocument(document).lines as DecodedTrade[];
export const find = (start: string): Recorded => recorded.find(({ name }) => name.split('__')[1]!.startsWith(start))!;

export const SOL = 'So11111111111111111111111111111111111111112';
export const TOKEN_PROGRAMS = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
]);
export const SYSTEM = '11111111111111111111111111111111';

export function keysOf({ meta, transaction }: Answer): string[] {
  const listed = transaction.message.accountKeys.map((key) => (typeof key === 'string' ? key : key.pubkey));
  if (typeof transaction.message.accountKeys[0] !== 'string') return listed;
  return [...listed, ...(meta.loadedAddresses?.writable ?? []), ...(meta.loadedAddresses?.readonly ?? [])];
}

export function* instructionsOf(
  answer: Answer,
): Generator<{ path: string; program: string; accounts: string[]; raw: RawInstruction }> {
  const keys = keysOf(answer);
  const named = (raw: RawInstruction, path: string) => ({
    path,
    raw,
    program: raw.programId ?? keys[raw.programIdIndex] ?? '',
    accounts: (raw.accounts ?? []).map((account) => (typeof account === 'string' ? account : (keys[account] ?? ''))),
  });
  for (const [outer, raw] of answer.transaction.message.instructions.entries()) {
    yield named(raw, `${outer}`);
    for (const group of answer.meta.innerInstructions ?? []) {
      if (group.index !== outer) continue;
      for (const [inner, call] of group.instructions.entries()) yield named(call, `${outer}.${inner}`);
    }
  }
}
