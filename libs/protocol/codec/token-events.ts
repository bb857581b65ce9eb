import type {
  AuthorityEvent,
  AuthorityRole,
  ChainEvent,
  LaunchEvent,
  MetadataEvent,
  PoolVaultsEvent,
  VaultsEvent,
} from '../blocks.js';
import { unencodable } from './byte-writer.js';
import { readFlags, readIds, readLabels, readUnsignedOrNull, readVaruints } from './columns.js';
import type { GroupReader, GroupWriter } from './group-frame.js';

/**
 * Columns of the events that tell of vaults, of tokens' owners and metadata, and of launches. They follow those of the
 * other kinds, and a block without such events has not a byte of them.
 */
export interface TokenEvents {
  poolVaults: PoolVaultsEvent[];
  vaults: VaultsEvent[];
  authorities: AuthorityEvent[];
  metadata: MetadataEvent[];
  launches: LaunchEvent[];
}

/** Gives the next event of one kind, its own fields taken from that kind's columns. */
export type NextEvent = (tx: number, ordinal: number) => ChainEvent;

const ROLES: readonly AuthorityRole[] = ['mint', 'freeze', 'metadata'];
const STEPS: readonly LaunchEvent['step'][] = ['created', 'progress', 'graduated'];

export function writeTokenEvents(out: GroupWriter, events: TokenEvents): void {
  const { poolVaults, vaults, authorities, metadata, launches } = events;
  for (const event of poolVaults) out.id(event.pool);
  for (const event of poolVaults) out.id(event.vault0);
  for (const event of poolVaults) out.id(event.vault1);
  for (const event of vaults) out.id(event.pool);
  for (const event of vaults) out.unsignedOrNull(event.reserve0);
  for (const event of vaults) out.unsignedOrNull(event.reserve1);
  for (const event of authorities) out.id(event.token);
  for (const event of authorities) out.u8(placeOf(ROLES, event.role));
  writeIdsOrNull(out, authorities, (event) => event.authority);
  for (const event of metadata) out.id(event.token);
  for (const event of metadata) out.textOrNull(event.uri);
  for (const event of metadata) out.label(event.standard);
  for (const event of metadata) out.varuint(event.transferFeeBps);
  for (const event of metadata) {
    out.varuint(event.extensions.length);
    for (const name of event.extensions) out.label(name);
  }
  for (const event of launches) out.label(event.launchpad);
  for (const event of launches) out.u8(placeOf(STEPS, event.step));
  for (const event of launches) out.id(event.token);
  for (const event of launches) out.id(event.curve);
  writeIdsOrNull(out, launches, (event) => event.party);
  for (const event of launches) out.varuint(event.progressPpm);
}

export function readPoolVaults(input: GroupReader, count: number): NextEvent {
  const pools = readIds(input, count);
  const vaults0 = readIds(input, count);
  const vaults1 = readIds(input, count);
  let i = 0;
  return (tx, ordinal) => ({
    kind: 'pool-vaults',
    tx,
    ordinal,
    pool: pools[i]!,
    vault0: vaults0[i]!,
    vault1: vaults1[i++]!,
  });
}

export function readVaults(input: GroupReader, count: number): NextEvent {
  const pools = readIds(input, count);
  const reserves0 = readUnsignedOrNull(input, count);
  const reserves1 = readUnsignedOrNull(input, count);
  let i = 0;
  return (tx, ordinal) => ({
    kind: 'vaults',
    tx,
    ordinal,
    pool: pools[i]!,
    reserve0: reserves0[i]!,
    reserve1: reserves1[i++]!,
  });
}

export function readAuthorities(input: GroupReader, count: number): NextEvent {
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
}

export function readMetadata(input: GroupReader, count: number): NextEvent {
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
}

export function readLaunches(input: GroupReader, count: number): NextEvent {
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
}

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

function placeOf<T extends string>(values: readonly T[], value: T): number {
  const place = values.indexOf(value);
  return place < 0 ? unencodable(`${value}: not one of ${values.join(', ')}`) : place;
}

function readPlaces<T>(input: GroupReader, count: number, values: readonly T[], what: string): T[] {
  return Array.from({ length: count }, () => values[input.u8()] ?? input.fail(`unknown ${what}`));
}
