import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { ReferenceSet } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup, encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { blocksTopic } from '#libs/protocol/topics.js';
import {
  type EndedEpoch,
  type FactsVersion,
  readEndedEpoch,
  readEpochRecords,
  type ServedEpoch,
} from './served-epoch.js';

/**
 * Which epoch a program would build next to the served one, and why. The source acts on it, the plan of an upgrade says it:
 * both ask here, and nothing here writes.
 */
export interface OwnVersion extends Pick<ReferenceSet, 'decoderVersion' | 'coin' | 'stables' | 'rules'> {
  foldVersion: number;
  /** Configured by the operator; null: where the served epoch begins. */
  startHeight: number | null;
}

export interface ServedBlocks extends FactsVersion {
  reference: ReferenceSet;
  /** Above 0 where the beginning of the blocks is cut off. */
  firstSeq: number;
}

/** Why another epoch is built next to the served one. */
export interface WantedEpoch {
  reason: string;
  /** Whether this program may append to the served epoch in the meantime. */
  continues: boolean;
  /** Only an epoch with a higher number can hold the chain. */
  above: number;
}

/** Null when the served epoch is the one that this program would build. */
export function wantedEpoch(own: OwnVersion, served: ServedBlocks, ended: EndedEpoch | null): WantedEpoch | null {
  const { epoch, reference } = served;
  if (ended?.epoch === epoch) return { reason: ended.reason, continues: false, above: epoch };
  const there = reference.decoderVersion;
  if (own.decoderVersion !== there) {
    const reason = `decoders of version ${own.decoderVersion} instead of ${there}`;
    return { reason, continues: own.decoderVersion > there, above: 0 };
  }
  if (!hasRules(reference, own)) return { reason: 'other price rules', continues: true, above: 0 };
  if (own.startHeight !== null && own.startHeight < reference.startHeight) {
    const reason = `start height ${own.startHeight} instead of ${reference.startHeight}`;
    return { reason, continues: true, above: epoch };
  }
  if (served.foldVersion !== own.foldVersion && served.firstSeq > 0) {
    const reason = `fold version ${own.foldVersion}, for which the beginning of the blocks is cut off`;
    return { reason, continues: true, above: epoch };
  }
  return null;
}

/** Where the wanted epoch begins: as far back as the served one, unless the operator has accepted a cut. */
export const wantedStart = (own: Pick<OwnVersion, 'startHeight'>, replacedStart: number, cut: number | null): number =>
  cut ?? Math.min(own.startHeight ?? replacedStart, replacedStart);

/**
 * Whether the served epoch is folded again under this program's fold version. The way back to an older epoch goes there
 * directly: its program may not know what newer blocks hold.
 */
export const foldsAgain = (served: ServedEpoch, foldVersion: number, next: { epoch: number } | null): boolean =>
  served.foldVersion !== foldVersion && !(next !== null && next.epoch < served.epoch);

/** Number of the epoch to build: one that fits and was begun before, or a new one. */
export async function epochToBuild(
  log: EventLog,
  chain: string,
  own: OwnVersion,
  served: Pick<ServedBlocks, 'epoch' | 'reference'>,
  wanted: Pick<WantedEpoch, 'above'>,
  cut: number | null,
): Promise<number> {
  const from = wantedStart(own, served.reference.startHeight, cut);
  const ended = await readEndedEpoch(log, chain);
  const { replaced } = await readEpochRecords(log, chain);
  let empty: number | null = null;
  for (const epoch of (await epochNumbers(log, chain)).toReversed()) {
    if (epoch === served.epoch || epoch <= wanted.above || epoch === ended?.epoch) continue;
    const topic = blocksTopic(chain, epoch);
    const first = await log.firstGroup(topic);
    if (first === null) {
      // Its topic was made, and a kill came before its first group: the number is free.
      if (!replaced.some((record) => record.epoch === epoch)) empty ??= epoch;
      continue;
    }
    const group = decodeBlocksGroup(first.value);
    if (group.kind !== 'epoch') continue;
    const { reference } = group;
    const isFit =
      reference.genesisHash === served.reference.genesisHash &&
      reference.decoderVersion === own.decoderVersion &&
      reference.startHeight <= from &&
      hasRules(reference, own);
    if (!isFit) continue;
    // One that begins below the cut has to reach it already: what is missing in between no node serves.
    if (cut !== null && reference.startHeight < cut) {
      const last = await log.lastGroup(topic);
      if (last === null || decodeBlocksGroup(last.value).height < cut - 1) continue;
    }
    return epoch;
  }
  return empty ?? freeEpoch(log, chain);
}

/** A number that no topic and no record of the chain names. */
export async function freeEpoch(log: EventLog, chain: string): Promise<number> {
  const { served, building, replaced } = await readEpochRecords(log, chain);
  const named = [served, building, ...replaced].map((record) => record?.epoch ?? 0);
  return Math.max(0, ...(await epochNumbers(log, chain)), ...named) + 1;
}

/** Epochs of the chain that have a topic, in ascending order. */
async function epochNumbers(log: EventLog, chain: string): Promise<number[]> {
  const name = new RegExp(`^blocks\\.${chain}\\.e(\\d+)$`);
  const found = (await log.describe()).flatMap((topic) => name.exec(topic.name)?.[1] ?? []);
  return found.map(Number).sort((a, b) => a - b);
}

function hasRules(reference: ReferenceSet, { coin, stables, rules }: OwnVersion): boolean {
  const none = { chain: 'any', epoch: 1, seq: 0, height: -1, hash: '', parentHash: '', time: 0 };
  const bytes = (as: ReferenceSet) => encodeBlocksGroup({ kind: 'epoch', ...none, reference: as });
  return Buffer.compare(bytes(reference), bytes({ ...reference, coin, stables, rules })) === 0;
}
