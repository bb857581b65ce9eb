import type { ByteReader } from '#libs/protocol/codec/byte-reader.js';
import type { GroupHeader } from '#libs/protocol/codec/group-header.js';
import { projections } from './registry.js';
import type { SectionMember, SectionSpec } from './section.js';

/**
 * The sections in the body of a facts group: each with its title `name@version` and its length before it, in the order of the
 * registry, none of them twice and none empty. A reader steps over a title that it does not know.
 */
export type SectionedKind = 'block' | 'retract';

const sections: readonly SectionSpec[] = projections.flatMap((projection) => projection.sections ?? []);

const earlier: readonly SectionSpec[] = projections.flatMap((projection) => projection.earlier ?? []);

const titles = new Map(sections.map((section) => [section, `${section.name}@${section.version}`]));

export const sectionsOf: Readonly<Record<SectionedKind, readonly SectionSpec[]>> = {
  block: sections.filter(({ groups }) => groups.includes('block')),
  retract: sections.filter(({ groups }) => groups.includes('retract')),
};

export function sectionTitle(section: SectionSpec): string {
  return titles.get(section)!;
}

/** Calls `read` for each section, which answers the number of its rows, and `skipped` for each that is not known. */
export function readSections(
  input: ByteReader & { readonly header: GroupHeader },
  kind: SectionedKind,
  read: (section: SectionSpec) => number,
  skipped?: (title: string) => void,
): void {
  if (input.header.version === 1) {
    for (const member of FIRST_FORM[kind]) read(memberSection(kind, member));
    return;
  }
  let before = -1;
  while (input.remaining > 0) {
    const title = input.name();
    const length = input.varuint();
    const known = forms[kind].get(title);
    if (known === undefined) {
      input.skip(length);
      skipped?.(title);
      continue;
    }
    const { place, section } = known;
    if (place <= before) input.fail(`section ${title} out of order`);
    before = place;
    if (input.within(length, () => read(section)) === 0) input.fail(`section ${title} is empty`);
  }
}

interface Form {
  /** Of its newest form in the order. */
  readonly place: number;
  readonly section: SectionSpec;
}

function formsOf(kind: SectionedKind): Map<string, Form> {
  const newest = sectionsOf[kind].map((section, place): [string, Form] => [sectionTitle(section), { place, section }]);
  const older = earlier.flatMap((section): [string, Form][] => {
    const place = sectionsOf[kind].findIndex(({ name }) => name === section.name);
    return place < 0 ? [] : [[`${section.name}@${section.version}`, { place, section }]];
  });
  return new Map([...newest, ...older]);
}
const forms: Readonly<Record<SectionedKind, ReadonlyMap<string, Form>>> = {
  block: formsOf('block'),
  retract: formsOf('retract'),
};

/**
 * Groups of version 1 hold the first versions of these sections, all of them and without titles. Read are such groups while facts of
 * an older fold version are served; nothing writes them.
 */
const FIRST_FORM: Readonly<Record<SectionedKind, readonly SectionMember[]>> = {
  block: ['trades', 'transfers', 'tokens', 'pools', 'poolStates', 'prices', 'references'],
  retract: ['poolStates', 'prices', 'references', 'removedPools', 'removedTokens'],
};

function memberSection(kind: SectionedKind, member: SectionMember): SectionSpec {
  const newest = sectionsOf[kind].find((section) => section.member === member)!;
  return forms[kind].get(`${newest.name}@1`)!.section;
}
