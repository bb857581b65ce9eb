import { keccakHex, rlpBytes, rlpList, rlpQuantity } from './rlp.js';

/**
 * Root of the Merkle-Patricia trie that maps rlp(index) to each value, as block headers use it for transactions and
 * receipts. Keys are hex strings, so a nibble is a character.
 */
export const EMPTY_TRIE_ROOT = '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

interface Leaf {
  key: string;
  value: string;
}

export function orderedTrieRoot(values: readonly string[]): string {
  if (values.length === 0) return EMPTY_TRIE_ROOT;
  return keccakHex(
    encodeNode(
      values.map((value, index) => ({ key: rlpQuantity(index), value })),
      0,
    ),
  );
}

function encodeNode(leaves: Leaf[], depth: number): string {
  const first = leaves[0] as Leaf;
  if (leaves.length === 1) {
    return rlpList([rlpBytes(compactPath(first.key.slice(depth), true)), rlpBytes(first.value)]);
  }
  let shared = depth;
  while (leaves.every((leaf) => leaf.key.length > shared && leaf.key[shared] === first.key[shared])) shared++;
  if (shared > depth) {
    return rlpList([rlpBytes(compactPath(first.key.slice(depth, shared), false)), reference(leaves, shared)]);
  }
  const children: Leaf[][] = Array.from({ length: 16 }, () => []);
  let own = '80';
  for (const leaf of leaves) {
    if (leaf.key.length === depth) own = rlpBytes(leaf.value);
    else (children[Number.parseInt(leaf.key[depth] as string, 16)] as Leaf[]).push(leaf);
  }
  return rlpList([...children.map((child) => (child.length === 0 ? '80' : reference(child, depth + 1))), own]);
}

/** A node shorter than 32 bytes is written into its parent, any other by its hash. */
function reference(leaves: Leaf[], depth: number): string {
  const encoded = encodeNode(leaves, depth);
  return encoded.length < 64 ? encoded : rlpBytes(keccakHex(encoded));
}

function compactPath(nibbles: string, leaf: boolean): string {
  const flag = leaf ? 2 : 0;
  return nibbles.length % 2 === 0 ? `${flag}0${nibbles}` : `${flag + 1}${nibbles}`;
}
