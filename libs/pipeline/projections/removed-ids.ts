import { readIds } from '#libs/protocol/codec/columns.js';
import type { SectionMember, SectionSpec } from './section.js';

/** Ids first seen in retracted blocks, which are unknown again. Only a retraction has them, and no table does. */
export function removedIds(name: string, member: SectionMember): SectionSpec {
  return {
    ...{ name, version: 1, groups: ['retract'], member, layout: 'columns' },
    fields: [{ name: 'id', kind: 'id' }],
    write(out, ids: readonly string[]) {
      out.varuint(ids.length);
      for (const id of ids) out.id(id);
    },
    read: (input) => readIds(input, input.count(1)),
  };
}
