import type { BuildingStatus, HistoryProgress, LastReorg, NodeStatus, StatusHead } from './rest/status-body.js';

/**
 * What the ingest of one chain says of itself: the value of its key in the topic `ingest-status`. It is made for people:
 * no address of a node, no key, no text of an error that could hold one.
 */
export interface IngestStatus {
  version: 1;
  chain: string;
  /** When the process started and when this was said, Unix ms. */
  startedAt: number;
  at: number;
  state: 'starting' | 'history' | 'live' | 'waiting' | 'stopped';
  head: StatusHead | null;
  chainHead: number | null;
  lagBlocks: number | null;
  finalized: number | null;
  sealed: number | null;
  /** Height up to which the tables are. */
  checkpointBlock: number | null;
  progress: HistoryProgress | null;
  /** Absent in what a version without it said. */
  building?: BuildingStatus | null;
  reorgs: { count: number; deepest: number; last: LastReorg | null };
  nodes: NodeStatus[];
  trouble: string | null;
}

/** It is said again after so long even when nothing changed. */
export const STATUS_REPEATED_MS = 10_000;
/** Who was silent for so long is taken for gone. */
export const STATUS_STALE_MS = 30_000;

export function encodeIngestStatus(status: IngestStatus): Uint8Array {
  return Buffer.from(JSON.stringify(status), 'utf8');
}

/** Null for what another version of this program wrote: a dashboard then shows less, and nothing fails. */
export function decodeIngestStatus(value: Uint8Array): IngestStatus | null {
  let status: unknown;
  try {
    status = JSON.parse(Buffer.from(value).toString('utf8'));
  } catch {
    return null;
  }
  const { version, chain, at } = (status ?? {}) as Partial<IngestStatus>;
  return version === 1 && typeof chain === 'string' && typeof at === 'number' ? (status as IngestStatus) : null;
}
