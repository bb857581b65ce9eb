import type { ReadyBody } from '#libs/serve/contract/rest/health-body.js';
import type { ChainAccess } from '../access/chain-access.js';

/** Ready when at least one chain can be served; what is missing is said in sentences, for people. */
export function apiReadiness(access: ChainAccess): ReadyBody {
  const states = access.all().map((reader) => reader.status());
  const missing = states.flatMap(({ reason }) => (reason === null ? [] : [reason]));
  const ready = states.some((state) => state.ready);
  if (states.length === 0) return { ready: false, reasons: ['no chain is configured'], warnings: [] };
  return ready ? { ready, reasons: [], warnings: missing } : { ready, reasons: missing, warnings: [] };
}
