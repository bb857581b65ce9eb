import type { EventLog } from '#libs/event-log/log.js';
import type { FactsVersion } from '#libs/event-log/served-epoch.js';
import type { Pointer } from '#libs/store/market/pointer.js';
import { intentsByGeneration } from './intents.js';
import type { ChainTables } from './sink-tables.js';

/**
 * The generation into which a version of the facts is built next to the served one. One that holds that version already is
 * continued; everything else gets a number that no table, pointer or intent has ever had, so that what an interrupted
 * build of another version left behind is never written to.
 */
export async function generationToBuild(
  { log, tables, chain }: { log: EventLog; tables: ChainTables; chain: string },
  version: FactsVersion,
  served: Pointer,
  /** Only what an interrupted build of the same tables left is continued, not an older generation. */
  fresh: boolean,
): Promise<number> {
  const known = await tables.generations();
  const intents = await intentsByGeneration(log, chain);
  for (const generation of known.toReversed()) {
    if (generation === served.generation || (fresh && generation < served.generation)) continue;
    const own = tables.generation(generation);
    await own.ensure();
    const checkpoint = await own.readCheckpoint();
    const intent = intents.get(generation);
    const holds = checkpoint ?? (intent === undefined || intent.fromSeq === 0 ? (intent ?? version) : null);
    if (holds?.epoch === version.epoch && holds.foldVersion === version.foldVersion) return generation;
  }
  return Math.max(served.generation, ...known, ...intents.keys()) + 1;
}
