// Room: which epoch of a chain is served, which one is built next, and what retractions cover. May import core,
// protocol, pipeline/event-log.

import { LogBrokenError } from '#libs/core/errors.js';
import type { Append, EventLog } from '#libs/pipeline/event-log/log.js';
import { epochsTopic } from '#libs/protocol/topics.js';

/** One way to derive a chain's facts: an epoch of its blocks under a fold version. */
export interface FactsVersion {
  epoch: number;
  foldVersion: number;
}

/** What is served of a chain: key = slug in the compacted topic `epochs`. */
export type ServedEpoch = FactsVersion;

/**
 * An epoch that is built next to the served one, written by the source with its first group. It is served once it reaches
 * as far back and as far forward as what it replaces.
 */
export interface BuildingEpoch {
  epoch: number;
  /** First height of the epoch, and of the one that it replaces. */
  startHeight: number;
  replacedStart: number;
  /** The operator has accepted that history begins later than before. */
  cutAccepted: boolean;
  reason: string;
}

/** A switch of what is served that has begun: the pointer row decides whether it took place. */
export interface PendingFlip extends FactsVersion {
  generation: number;
}

/** What was served before, kept for a way back. */
export interface ReplacedVersion extends FactsVersion {
  generation: number;
  /** When it was replaced, Unix ms. */
  at: number;
}

/**
 * An epoch whose log cannot be folded any further, at the named group: only a new epoch, built from the chain's nodes,
 * holds the chain from there on (protocol rule 12). The fold writes it, the source acts on it.
 */
export interface EndedEpoch {
  epoch: number;
  seq: number;
  reason: string;
}

/** How fast the last build of a kind was: groups of the same epoch, or heights of another one. */
export interface BuildRate {
  perSecond: number;
  /** What it was measured over. */
  done: number;
  seconds: number;
}

/** `facts`: another fold version of the served epoch. `epoch`: blocks read again. */
export type BuildKind = 'facts' | 'epoch';

/** All that the topic says of one chain. */
export interface EpochRecords {
  served: ServedEpoch | null;
  building: BuildingEpoch | null;
  flip: PendingFlip | null;
  replaced: ReplacedVersion[];
}

const buildingKey = (chain: string): string => `${chain}/building`;
const flipKey = (chain: string): string => `${chain}/flip`;
const replacedPrefix = (chain: string): string => `${chain}/replaced/`;
const replacedKey = (chain: string, { epoch, foldVersion }: FactsVersion): string =>
  `${replacedPrefix(chain)}e${epoch}.f${foldVersion}`;

const cutKey = (chain: string): string => `${chain}/accepted-cut`;
const endedKey = (chain: string): string => `${chain}/ended`;
const rateKey = (chain: string, kind: BuildKind): string => `${chain}/rate/${kind}`;

/** The height from which the operator lets the next epoch begin; null where it reaches back as far as the served one. */
export async function readAcceptedCut(log: EventLog, chain: string): Promise<number | null> {
  const value = (await log.readCompacted(epochsTopic)).get(cutKey(chain));
  return parse<{ startHeight: number }>(cutKey(chain), value, ['startHeight'])?.startHeight ?? null;
}

export async function readEndedEpoch(log: EventLog, chain: string): Promise<EndedEpoch | null> {
  const key = endedKey(chain);
  return parse<EndedEpoch>(key, (await log.readCompacted(epochsTopic)).get(key), ['epoch', 'seq']);
}

/** How fast the last build of this kind was; null while none was measured. */
export async function readBuildRate(log: EventLog, chain: string, kind: BuildKind): Promise<BuildRate | null> {
  const key = rateKey(chain, kind);
  const rate = parse<BuildRate>(key, (await log.readCompacted(epochsTopic)).get(key), ['done']);
  return rate !== null && rate.perSecond > 0 ? rate : null;
}

/** Null until a source has opened an epoch. The topic must exist. */
export async function readServedEpoch(log: EventLog, chain: string): Promise<ServedEpoch | null> {
  return (await readEpochRecords(log, chain)).served;
}

export async function readEpochRecords(log: EventLog, chain: string): Promise<EpochRecords> {
  const values = await log.readCompacted(epochsTopic);
  const served = parse<ServedEpoch>(chain, values.get(chain), ['epoch', 'foldVersion']);
  const building = parse<BuildingEpoch>(buildingKey(chain), values.get(buildingKey(chain)), [
    ...(['epoch', 'startHeight', 'replacedStart'] as const),
  ]);
  const flip = parse<PendingFlip>(flipKey(chain), values.get(flipKey(chain)), ['epoch', 'foldVersion', 'generation']);
  const replaced: ReplacedVersion[] = [];
  for (const [key, value] of values) {
    if (!key.startsWith(replacedPrefix(chain))) continue;
    replaced.push(parse<ReplacedVersion>(key, value, ['epoch', 'foldVersion', 'generation', 'at'])!);
  }
  return { served, building, flip, replaced };
}

function parse<T extends object>(key: string, value: Uint8Array | undefined, numbers: (keyof T)[]): T | null {
  if (value === undefined) return null;
  const said = JSON.parse(Buffer.from(value).toString('utf8')) as T;
  if (!numbers.every((field) => Number.isSafeInteger(said?.[field]))) {
    throw new LogBrokenError(`${epochsTopic.name}: the value of ${key} is not readable`);
  }
  return said;
}

export const sameServed = (a: FactsVersion | null, b: FactsVersion | null): boolean =>
  a === null || b === null ? a === b : a.epoch === b.epoch && a.foldVersion === b.foldVersion;

export const versionName = ({ epoch, foldVersion }: FactsVersion): string => `e${epoch}.f${foldVersion}`;

const record = (key: string, value: object | null): Append => ({
  topic: epochsTopic,
  key,
  value: value && Buffer.from(JSON.stringify(value)),
});

export const servedRecord = (chain: string, { epoch, foldVersion }: ServedEpoch): Append =>
  record(chain, { epoch, foldVersion });

export const buildingRecord = (chain: string, building: BuildingEpoch | null): Append =>
  record(buildingKey(chain), building);

export const acceptedCutRecord = (chain: string, startHeight: number | null): Append =>
  record(cutKey(chain), startHeight === null ? null : { startHeight });

export const endedEpochRecord = (chain: string, ended: EndedEpoch): Append => record(endedKey(chain), ended);

export const buildRateRecord = (chain: string, kind: BuildKind, rate: BuildRate): Append =>
  record(rateKey(chain, kind), rate);

export const flipRecord = (chain: string, flip: PendingFlip | null): Append => record(flipKey(chain), flip);

export const replacedRecord = (chain: string, replaced: ReplacedVersion): Append =>
  record(replacedKey(chain, replaced), replaced);

export const forgetReplaced = (chain: string, version: FactsVersion): Append =>
  record(replacedKey(chain, version), null);
