import { type BlockProof, blockProofs } from '#libs/protocol/blocks.js';
import type { ByteReader } from '#libs/protocol/codec/byte-reader.js';
import { unencodable } from '#libs/protocol/codec/byte-writer.js';
import type { SectionSpec } from '../section.js';

/** How a block was checked; in a retraction, the block that is the head again. A group has one such row, or none. */
export const proofSection: SectionSpec = {
  ...{ name: 'proof', version: 1, groups: ['block', 'retract'], member: 'proof', layout: 'rows', single: true },
  fields: [{ name: 'proof', kind: 'code', values: blockProofs }],
  write(out, [proof]) {
    const code = blockProofs.indexOf(proof as BlockProof);
    if (code < 0) unencodable(`proof ${String(proof)}`);
    out.varuint(1);
    out.u8(code);
  },
  read: (input) => [readProof(input)],
};

export function readProof(input: ByteReader): BlockProof {
  if (input.varuint() !== 1) input.fail('not one proof');
  return blockProofs[input.u8()] ?? input.fail('unknown proof');
}
