import { type BlockProof, blockProofs } from '#libs/protocol/blocks.js';

/** The proof that a column says; none where it is empty, or where the table has no such column. */
export function storedProof(text: unknown): { proof?: BlockProof } {
  const proof = blockProofs.find((known) => known === text);
  return proof === undefined ? {} : { proof };
}
