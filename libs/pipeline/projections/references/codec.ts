import type { GroupReader, GroupWriter } from '#libs/protocol/codec/group-frame.js';
import type { ReferencePrice } from '#libs/protocol/facts.js';

/** Prices of the coin and the stables, one after the other. */
export function writeReferences(out: GroupWriter, references: readonly ReferencePrice[]): void {
  out.varuint(references.length);
  for (const reference of references) {
    out.id(reference.token);
    out.unsignedOrNull(reference.usd);
  }
}

export function readReferences(input: GroupReader): ReferencePrice[] {
  const references: ReferencePrice[] = [];
  for (let left = input.count(2); left > 0; left--) {
    references.push({ token: input.id(), usd: input.unsignedOrNull() });
  }
  return references;
}
