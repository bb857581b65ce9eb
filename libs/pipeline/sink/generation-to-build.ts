import type { FactsVersion } from '#libs/pipeline/epochs/served-epoch.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { Checkpoint } from '#libs/pipeline/store/market/checkpoint.js';
import type { Pointer } from '#libs/pipeline/store/market/pointer.js';
import { isMissingTable } from '#libs/pipeline/store/store-error.js';
import { intentsTopic } from '#libs/protocol/topics.js';
import { type Intent, intentsByGeneration } from './intents.js';
import type { ChainTables, SinkTables } from './sink-tables.js';

/**
 * The generation into which a version of the facts is built next to the served one. One that holds that version already is
 * continued; everything else gets a number that no table, pointer or intent has ever had, so that what an interrupted
 * build of another version left behind is never written to.
 */
export async function generationToBuild(
  { log, tables, chain }: BuildDeps,
  version: FactsVersion,
  served: Pointer,
  /** Only what an interrupted build of the same tables left is continued, not an older generation. */
  fresh: boolean,
): Promise<number> {
  await log.ensureTopics([intentsTopic(chain)]);
  return choose(tables, version, served, fresh, await intentsByGeneration(log, chain));
}

/** The same, without writing anything. */
export async function plannedGeneration(
  { log, tables, chain }: BuildDeps,
  version: FactsVersion,
  served: Pointer,
): Promise<number> {
  const { name } = intentsTopic(chain);
  const hasIntents = (await log.describe()).some((topic) => topic.name === name);
  const intents = hasIntents ? await intentsByGeneration(log, chain) : new Map<number, Intent>();
  return choose(tables, version, served, false, intents);
}

/** Of tables that may be of another schema, or be there only in part. */
export async function checkpointOf(own: SinkTables): Promise<Checkpoint | null> {
  try {
    return await own.readCheckpoint();
  } catch (error) {
    if (isMissingTable(error)) return null;
    throw error;
  }
}

interface BuildDeps {
  log: EventLog;
  tables: ChainTables;
  chain: string;
}

async function choose(
  tables: ChainTables,
  version: FactsVersion,
  served: Pointer,
  fresh: boolean,
  intents: ReadonlyMap<number, Intent>,
): Promise<number> {
  const known = await tables.generations();
  for (const generation of known.toReversed()) {
    if (generation === served.generation || (fresh && generation < served.generation)) continue;
    // Nothing is ensured here: a newer program may have given its tables a schema that this one does not know.
    const checkpoint = await checkpointOf(tables.generation(generation));
    const intent = intents.get(generation);
    const holds = checkpoint ?? (intent === undefined || intent.fromSeq === 0 ? (intent ?? version) : null);
    if (holds?.epoch === version.epoch && holds.foldVersion === version.foldVersion) return generation;
  }
  return Math.max(served.generation, ...known, ...intents.keys()) + 1;
}
