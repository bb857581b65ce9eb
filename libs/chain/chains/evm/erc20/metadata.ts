import type { Hex } from '#libs/core/ids.js';
import type { TokenRecord } from '#libs/protocol/blocks.js';
import { cleanText } from '../../clean-text.js';
import type { ContractCall } from '../contract-reader.js';

const SELECTORS = { decimals: '313ce567', symbol: '95d89b41', name: '06fdde03', totalSupply: '18160ddd' } as const;

/** Above this no amount makes sense; what a contract says beyond it is taken for absurd. */
const MAX_DECIMALS = 36;
const MAX_SYMBOL = 64;
const MAX_NAME = 128;

export const METADATA_CALLS = 4;

/** The calls whose answers `decodeMetadata` reads, in its order. */
export function metadataCalls(token: Hex): ContractCall[] {
  return Object.values(SELECTORS).map((data) => ({ to: token, data }));
}

/** Metadata as the chain answered. A revert, an absurd or unreadable value is null: itself a fact, never an error. */
export function decodeMetadata(token: Hex, answers: readonly (string | null)[]): TokenRecord {
  const [decimals, symbol, name, totalSupply] = answers;
  return {
    token,
    decimals: decodeDecimals(decimals ?? null),
    symbol: decodeText(symbol ?? null, MAX_SYMBOL),
    name: decodeText(name ?? null, MAX_NAME),
    totalSupply: decodeUint(totalSupply ?? null),
  };
}

function decodeUint(data: string | null): bigint | null {
  return data !== null && data.length >= 64 ? BigInt(`0x${data.slice(0, 64)}`) : null;
}

function decodeDecimals(data: string | null): number | null {
  const value = decodeUint(data);
  return value !== null && value <= BigInt(MAX_DECIMALS) ? Number(value) : null;
}

/** An ABI string, or the bytes32 of early tokens. */
export function decodeText(data: string | null, maxLength: number): string | null {
  if (data === null) return null;
  const bytes = data.length === 64 ? fixedBytes(data) : dynamicBytes(data);
  if (bytes === null) return null;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
  const short = Array.from(cleanText(text)).slice(0, maxLength).join('').trim();
  return short === '' ? null : short;
}

function fixedBytes(data: string): Buffer {
  const bytes = Buffer.from(data, 'hex');
  const end = bytes.indexOf(0);
  return end === -1 ? bytes : bytes.subarray(0, end);
}

function dynamicBytes(data: string): Buffer | null {
  const offset = decodeUint(data);
  if (offset === null || offset > BigInt(data.length)) return null;
  const at = Number(offset) * 2;
  const length = decodeUint(data.slice(at));
  if (length === null || length > BigInt(data.length)) return null;
  const content = data.slice(at + 64, at + 64 + Number(length) * 2);
  return content.length === Number(length) * 2 ? Buffer.from(content, 'hex') : null;
}
