import { keccakText } from './keccak-hex.js';

/** The ABI encoding that the local chains need: 32-byte words in hex, without prefix. */
const MASK = (1n << 256n) - 1n;

export class Revert extends Error {
  /** `data` is what the contract reverted with, 0x-prefixed. */
  constructor(
    reason: string,
    readonly data: string = encodeErrorString(reason),
  ) {
    super(reason);
    this.name = 'Revert';
  }
}

export function word(value: bigint | number | boolean): string {
  return (BigInt(value) & MASK).toString(16).padStart(64, '0');
}

export function addressWord(address: string): string {
  return address.slice(2).padStart(64, '0');
}

/** 0x-prefixed topic of an address. */
export function addressTopic(address: string): string {
  return `0x${addressWord(address)}`;
}

export function data(...words: string[]): string {
  return `0x${words.join('')}`;
}

/** Body of a dynamic `bytes`: its length and its padded bytes. */
export function bytesBody(hex: string): string {
  return word(hex.length / 2) + hex.padEnd(Math.ceil(hex.length / 64) * 64, '0');
}

/** A single returned `string`. */
export function stringResult(text: string): string {
  return data(word(32), bytesBody(Buffer.from(text, 'utf8').toString('hex')));
}

export function bytes32Result(text: string): string {
  return data(Buffer.from(text, 'utf8').toString('hex').padEnd(64, '0'));
}

function encodeErrorString(reason: string): string {
  return data(selector('Error(string)'), word(32), bytesBody(Buffer.from(reason, 'utf8').toString('hex')));
}

const selectors = new Map<string, string>();

export function selector(signature: string): string {
  let found = selectors.get(signature);
  if (found === undefined) {
    found = keccakText(signature).slice(0, 8);
    selectors.set(signature, found);
  }
  return found;
}

export function topic(signature: string): string {
  return `0x${keccakText(signature)}`;
}

/** Word `index` of call arguments (hex without prefix and selector); missing bytes revert, as a decoder does. */
export function readWord(args: string, index: number): bigint {
  const hex = args.slice(index * 64, index * 64 + 64);
  if (hex.length !== 64) throw new Revert('', '0x');
  return BigInt(`0x${hex}`);
}

export function readSigned(args: string, index: number): bigint {
  return BigInt.asIntN(256, readWord(args, index));
}

export function readAddress(args: string, index: number): string {
  return `0x${(readWord(args, index) & ((1n << 160n) - 1n)).toString(16).padStart(40, '0')}`;
}
