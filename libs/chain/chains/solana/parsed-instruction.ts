import { isJsonRecord, type Json } from './malformed.js';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.js';

/**
 * The `jsonParsed` encoding replaces the bytes of well-known instructions by a description. Transfers of tokens and of
 * lamports are turned back into their bytes and accounts, so that one reader serves every encoding; other described
 * instructions keep no data.
 */
export interface Unparsed {
  data: Uint8Array;
  accounts: string[];
}

const NOTHING: Unparsed = { data: new Uint8Array(0), accounts: [] };

export function unparse(program: string, parsed: unknown): Unparsed {
  if (!isJsonRecord(parsed) || !isJsonRecord(parsed.info)) return NOTHING;
  const { info } = parsed;
  if (program === SYSTEM_PROGRAM) return parsed.type === 'transfer' ? lamportsTransfer(info) : NOTHING;
  if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM) return NOTHING;
  const { source, destination, mint } = info;
  if (typeof source !== 'string' || typeof destination !== 'string') return NOTHING;
  const authority = [info.authority, info.multisigAuthority].find((key) => typeof key === 'string') ?? '';
  if (parsed.type === 'transfer') {
    const amount = readAmount(info.amount);
    return amount === null
      ? NOTHING
      : { data: transferData([3], amount), accounts: [source, destination, `${authority}`] };
  }
  const checked = parsed.type === 'transferChecked';
  if ((!checked && parsed.type !== 'transferCheckedWithFee') || typeof mint !== 'string') return NOTHING;
  const amount = tokenAmount(info);
  if (amount === null) return NOTHING;
  return {
    data: transferData(checked ? [12] : [26, 1], amount),
    accounts: [source, mint, destination, `${authority}`],
  };
}

function lamportsTransfer({ source, destination, lamports }: Json): Unparsed {
  if (typeof source !== 'string' || typeof destination !== 'string' || !Number.isSafeInteger(lamports)) return NOTHING;
  if ((lamports as number) < 0) return NOTHING;
  return { data: transferData([2, 0, 0, 0], BigInt(lamports as number)), accounts: [source, destination] };
}

const tokenAmount = (info: Json): bigint | null =>
  isJsonRecord(info.tokenAmount) ? readAmount(info.tokenAmount.amount) : readAmount(info.amount);

export function readAmount(value: unknown): bigint | null {
  if (typeof value !== 'string' || !/^\d{1,20}$/.test(value)) return null;
  const amount = BigInt(value);
  return amount < 1n << 64n ? amount : null;
}

function transferData(tag: number[], amount: bigint): Uint8Array {
  const data = Buffer.alloc(tag.length + 8);
  data.set(tag);
  data.writeBigUInt64LE(amount, tag.length);
  return data;
}
