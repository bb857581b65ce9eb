import { unencodable } from '#libs/protocol/codec/byte-writer.js';
import { GroupReader, GroupWriter } from '#libs/protocol/codec/group-frame.js';
import { readReferenceSet, writeReferenceSet } from '#libs/protocol/codec/registry-records.js';
import type { FactsBlock, FactsGroup, FactsRetract } from '#libs/protocol/facts.js';
import type { SectionMember } from './section.js';
import { readSections, sectionsOf, sectionTitle } from './sections.js';

/**
 * Binary form of a group of `facts.<chain>`. The same bijection as the blocks codec: it lets a refold compare encoded
 * groups by their hash. It holds where the reader knows every section; what it does not know it steps over.
 */
export function encodeFactsGroup(group: FactsGroup): Uint8Array {
  writer.reset();
  switch (group.kind) {
    case 'epoch':
      writeReferenceSet(writer, group.reference);
      break;
    case 'block':
      writeSections(group);
      break;
    case 'retract':
      writer.varuint(group.fromSeq);
      writeSections(group);
      break;
    case 'finalize':
      writer.varint(group.finalizedHeight);
      break;
    default:
      unencodable(`group kind ${String((group as FactsGroup).kind)}`);
  }
  return writer.finish('facts', group.kind, group, group.inputHash);
}

/** `skipped` is called with the title of each section that this program does not know. */
export function decodeFactsGroup(bytes: Uint8Array, skipped?: (title: string) => void): FactsGroup {
  const input = new GroupReader(bytes, 'facts');
  const group = readBody(input, skipped);
  input.finish();
  return group;
}

const writer = new GroupWriter();

/** A section without rows is left out. */
function writeSections(group: FactsBlock | FactsRetract): void {
  const members: Partial<Record<SectionMember, unknown>> = group;
  for (const section of sectionsOf[group.kind]) {
    const value = members[section.member];
    const rows = section.single && value !== undefined ? [value] : (value as readonly unknown[] | undefined);
    if (rows !== undefined && rows.length > 0) writer.part(sectionTitle(section), () => section.write(writer, rows));
  }
}

function readBody(input: GroupReader, skipped?: (title: string) => void): FactsGroup {
  const { kind, chain, epoch, seq, height, hash, parentHash, time } = input.header;
  const inputHash = input.header.inputHash ?? '';
  const envelope = { chain, epoch, seq, height, hash, parentHash, time, inputHash };
  switch (kind) {
    case 'epoch':
      return { kind, ...envelope, reference: readReferenceSet(input) };
    case 'block':
      return { kind, ...envelope, ...readRows(input, kind, skipped) } as FactsBlock;
    case 'retract':
      return { kind, ...envelope, fromSeq: input.varuint(), ...readRows(input, kind, skipped) } as FactsRetract;
    case 'finalize':
      return { kind, ...envelope, finalizedHeight: input.varint() };
  }
}

/** Every member that a group of this kind can have, with the rows of its section or none. */
function readRows(
  input: GroupReader,
  kind: 'block' | 'retract',
  skipped?: (title: string) => void,
): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const { member, absentIfEmpty, single } of sectionsOf[kind]) if (!absentIfEmpty && !single) members[member] = [];
  readSections(
    input,
    kind,
    (section) => {
      const rows = section.read(input);
      members[section.member] = section.single ? rows[0] : rows;
      return rows.length;
    },
    skipped,
  );
  return members;
}
