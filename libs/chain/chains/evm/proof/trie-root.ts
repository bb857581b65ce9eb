import { keccak256 } from '../keccak.js';
import { encodeRlp, type RlpItem } from './rlp.js';

/**
 * Root of the Merkle Patricia trie that maps rlp(0), rlp(1), … to the given values: how a block commits to the ordered
 * list of its receipts or transactions.
 */
export function orderedTrieRoot(values: readonly Uint8Array[]): Uint8Array {
  if (values.length === 0) return keccak256(encodeRlp(new Uint8Array(0)));
  const leaves = values.map((value, index): Leaf => ({ path: nibbles(encodeRlp(indexBytes(index))), value }));
  leaves.sort((a, b) => comparePaths(a.path, b.path));
  return keccak256(encodeRlp(node(leaves, 0, leaves.length, 0)));
}

interface Leaf {
  path: number[];
  value: Uint8Array;
}

function indexBytes(index: number): Uint8Array {
  if (index === 0) return new Uint8Array(0);
  const bytes: number[] = [];
  for (let rest = index; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest & 0xff);
  return Uint8Array.from(bytes);
}

function nibbles(bytes: Uint8Array): number[] {
  const out: number[] = [];
  for (const byte of bytes) out.push(byte >> 4, byte & 15);
  return out;
}

function comparePaths(a: number[], b: number[]): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

/** Node over leaves[from, to), whose first `depth` nibbles are equal. Keys of rlp indices never prefix each other. */
function node(leaves: Leaf[], from: number, to: number, depth: number): RlpItem {
  const first = leaves[from]!;
  if (to - from === 1) return [compactPath(first.path.slice(depth), true), first.value];
  const last = leaves[to - 1]!;
  let shared = depth;
  while (first.path[shared] === last.path[shared]) shared++;
  if (shared > depth) {
    return [compactPath(first.path.slice(depth, shared), false), reference(node(leaves, from, to, shared))];
  }
  const children: RlpItem[] = [];
  let start = from;
  for (let nibble = 0; nibble < 16; nibble++) {
    let end = start;
    while (end < to && leaves[end]!.path[depth] === nibble) end++;
    children.push(end > start ? reference(node(leaves, start, end, depth + 1)) : new Uint8Array(0));
    start = end;
  }
  children.push(new Uint8Array(0));
  return children;
}

/** A child is embedded when it is shorter than a hash. */
function reference(child: RlpItem): RlpItem {
  const encoded = encodeRlp(child);
  return encoded.length < 32 ? child : keccak256(encoded);
}

function compactPath(path: number[], leaf: boolean): Uint8Array {
  const odd = path.length % 2;
  const flagged = [(leaf ? 2 : 0) + odd, ...(odd ? [] : [0]), ...path];
  const bytes = new Uint8Array(flagged.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = (flagged[2 * i]! << 4) | flagged[2 * i + 1]!;
  return bytes;
}
