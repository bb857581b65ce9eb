import { type IngestStatus, STATUS_STALE_MS } from '#libs/serve/contract/ingest-status.js';
import type { Meta } from '#libs/serve/contract/rest/meta.js';
import type { ChainState, ChainStatus, StatusAnswer } from '#libs/serve/contract/rest/status-body.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { ChainUnavailableError } from '#libs/serve/reader/unavailable.js';
import type { ChainAccess } from '../access/chain-access.js';
import { metaOf } from '../rows/display.js';
import type { IngestFollower } from './ingest-follower.js';

export interface StatusDeps {
  access: ChainAccess;
  ingest: IngestFollower;
  version: string;
  startedAt: number;
  /** Where clients reach the router; null when it is not configured. */
  routerUrl: () => string | null;
  now?: () => number;
}

/** How this instance is: what the ingest of each chain said last, and what its own readers make of it. */
export async function statusAnswer(deps: StatusDeps): Promise<StatusAnswer> {
  const { access, ingest, version, startedAt, now = Date.now } = deps;
  await ingest.look();
  const time = now();
  const chains: Record<string, Meta> = {};
  const rows = access.all().map((reader) => {
    const { view, reason } = viewOf(reader);
    if (view !== null) chains[reader.chain.slug] = metaOf(view);
    return chainStatus(reader, view, reason, ingest, time);
  });
  const url = deps.routerUrl();
  const router = url === null ? null : { url };
  return { data: { version, startedAt, time, chains: rows, topics: ingest.topics(), router }, meta: { chains } };
}

function chainStatus(
  reader: ChainReader,
  view: ChainView | null,
  reason: string | null,
  ingest: IngestFollower,
  time: number,
): ChainStatus {
  const { slug, name } = reader.chain;
  const said = ingest.of(slug);
  const silentMs = said === null ? null : Math.max(0, time - said.at);
  const gone = said === null || (silentMs! > STATUS_STALE_MS && said.state !== 'stopped');
  const state: ChainState = gone ? 'unknown' : said.state;
  return {
    ...{ chain: slug, name, state },
    head: said?.head ?? null,
    chainHead: said?.chainHead ?? null,
    lagSeconds: said?.head ? Math.max(0, Math.round((time - said.head.time) / 100) / 10) : null,
    lagBlocks: said?.lagBlocks ?? null,
    finalized: said?.finalized ?? null,
    sealed: said?.sealed ?? null,
    indexed: view && { block: view.head.height, checkpointBlock: said?.checkpointBlock ?? null },
    progress: gone ? null : said.progress,
    building: gone ? null : (said.building ?? null),
    reorgs: { count: 0, deepest: 0, last: null, ...said?.reorgs, since: said?.startedAt ?? null },
    rpc: said?.nodes ?? [],
    trouble: troubleOf(said, silentMs, gone, reason ?? reader.status().warning, ingest.answers),
    updatedAt: said?.at ?? null,
  };
}

/** The nearest to the cause first. */
function troubleOf(
  said: IngestStatus | null,
  silentMs: number | null,
  gone: boolean,
  ownReason: string | null,
  logAnswers: boolean,
): string | null {
  if (!logAnswers) return 'the event log does not answer';
  if (said === null) return 'nothing was heard of the process that reads the chain yet; see that ingest runs';
  if (gone) {
    const seconds = Math.round(silentMs! / 1000);
    return `nothing was heard of the process that reads the chain for ${seconds} s; see that ingest runs`;
  }
  return said.trouble ?? ownReason;
}

function viewOf(reader: ChainReader): { view: ChainView | null; reason: string | null } {
  try {
    return { view: reader.view(), reason: null };
  } catch (error) {
    if (error instanceof ChainUnavailableError) return { view: null, reason: error.message };
    throw error;
  }
}
