import type { AuthorityEvent, AuthorityRole, LaunchEvent, MetadataEvent } from '../blocks.js';
import { readFlags, readIds, readLabels, readVaruints } from './columns.js';
import type { EventCodec } from './event-columns.js';
import type { GroupReader, GroupWriter } from './group-frame.js';
import { indexOrRefuse } from './registry-records.js';

/** Columns of the events that tell of tokens' owners and metadata, and of launches. */
const ROLES: readonly AuthorityRole[] = ['mint', 'freeze', 'metadata'];
const STEPS: readonly LaunchEvent['step'][] = ['created', 'progress', 'graduated'];

export const authorities: EventCodec<AuthorityEvent> = {
  write(out, events) {
    for (const event of events) out.id(event.token);
    for (const event of events) out.u8(indexOrRefuse(ROLES, event.role));
    writeIdsOrNull(out, events, (event) => event.authority);
  },
  read(input, count) {
    const tokens = readIds(input, count);
    const roles = readPlaces(input, count, ROLES, 'authority');
    const authorities = readIdsOrNull(input, count);
    let i = 0;
    return (tx, ordinal) => ({
      kind: 'authority',
      tx,
      ordinal,
      token: tokens[i]!,
      role: roles[i]!,
      authority: authorities[i++]!,
    });
  },
};

export const metadata: EventCodec<MetadataEvent> = {
  write(out, events) {
    for (const event of events) out.id(event.token);
    for (const event of events) out.textOrNull(event.uri);
    for (const event of events) out.label(event.standard);
    for (const event of events) out.varuint(event.transferFeeBps);
    for (const event of events) {
      out.varuint(event.extensions.length);
      for (const name of event.extensions) out.label(name);
    }
  },
  read(input, count) {
    const tokens = readIds(input, count);
    const uris = Array.from({ length: count }, () => input.textOrNull());
    const standards = readLabels(input, count);
    const fees = readVaruints(input, count);
    const extensions = Array.from({ length: count }, () => readLabels(input, input.count(1)));
    let i = 0;
    return (tx, ordinal) => ({
      kind: 'metadata',
      tx,
      ordinal,
      token: tokens[i]!,
      uri: uris[i]!,
      standard: standards[i]!,
      transferFeeBps: fees[i]!,
      extensions: extensions[i++]!,
    });
  },
};

export const launches: EventCodec<LaunchEvent> = {
  write(out, events) {
    for (const event of events) out.label(event.launchpad);
    for (const event of events) out.u8(indexOrRefuse(STEPS, event.step));
    for (const event of events) out.id(event.token);
    for (const event of events) out.id(event.curve);
    writeIdsOrNull(out, events, (event) => event.party);
    for (const event of events) out.varuint(event.progressPpm);
  },
  read(input, count) {
    const launchpads = readLabels(input, count);
    const steps = readPlaces(input, count, STEPS, 'launch step');
    const tokens = readIds(input, count);
    const curves = readIds(input, count);
    const parties = readIdsOrNull(input, count);
    const progress = readVaruints(input, count);
    let i = 0;
    return (tx, ordinal) => ({
      kind: 'launch',
      tx,
      ordinal,
      launchpad: launchpads[i]!,
      step: steps[i]!,
      token: tokens[i]!,
      curve: curves[i]!,
      party: parties[i]!,
      progressPpm: progress[i++]!,
    });
  },
};

function writeIdsOrNull<T>(out: GroupWriter, rows: readonly T[], id: (row: T) => string | null): void {
  for (const row of rows) out.u8(id(row) === null ? 0 : 1);
  for (const row of rows) {
    const known = id(row);
    if (known !== null) out.id(known);
  }
}

function readIdsOrNull(input: GroupReader, count: number): (string | null)[] {
  return readFlags(input, count).map((known) => (known ? input.id() : null));
}

function readPlaces<T>(input: GroupReader, count: number, values: readonly T[], what: string): T[] {
  return Array.from({ length: count }, () => values[input.u8()] ?? input.fail(`unknown ${what}`));
}
