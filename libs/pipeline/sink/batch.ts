import { LogBrokenError } from '#libs/core/errors.js';
import type { Checkpoint } from '#libs/pipeline/store/market/checkpoint.js';
import type { FactsHead } from '#libs/protocol/facts.js';

/** The checkpoint after these groups, as one whole row (rule 16): blocks and retractions become visible together. */
export function advance(checkpoint: Checkpoint, groups: readonly FactsHead[]): Checkpoint {
  const next: Checkpoint = { ...checkpoint, retracted: [...checkpoint.retracted], step: 0 };
  for (const group of groups) {
    if (group.seq !== next.seq + 1) throw new LogBrokenError(`sink: expected seq ${next.seq + 1}, got ${group.seq}`);
    next.seq = group.seq;
    if (group.kind === 'finalize') {
      next.sealedHeight = Math.max(next.sealedHeight, group.height);
      next.finalizedHeight = Math.max(next.finalizedHeight, group.finalizedHeight);
      continue;
    }
    next.height = group.height;
    next.hash = group.hash;
    next.time = group.time;
    next.proof = group.kind === 'epoch' ? undefined : group.proof;
    if (group.kind === 'retract') {
      next.retracted.push({ fromSeq: group.fromSeq, retractSeq: group.seq });
      if (group.height < next.sealedHeight) reopenSeals(next, group.height, group.time);
    }
  }
  return next;
}

/**
 * A retraction below the sealed height: buckets that end after the new head's time are unsealed in the very row that
 * publishes the retraction, so that readers compute them from trades again. The next seal of that range writes a newer
 * version or a tombstone for every bucket it finds there (rule 18).
 */
function reopenSeals(next: Checkpoint, height: number, time: number): void {
  next.sealedHeight = height;
  next.finalizedHeight = Math.min(next.finalizedHeight, height);
  next.sealedTime = Math.min(next.sealedTime, time);
}
