import { createHash } from 'node:crypto';
import type { Hex } from '#libs/core/ids.js';
import type { TokenMetadata } from '#libs/protocol/token-metadata.js';

/** After so many tries a source that does not answer is left alone. */
export const MOST_TRIES = 8;
const FIRST_PAUSE_MS = 30_000;
const MOST_PAUSE_MS = 86_400_000;
/** A longer URI is no address but a file, and is forgotten once it was read. */
const KEPT_URI = 2_048;

export const sourceOf = (uri: string): Hex => createHash('sha256').update(uri).digest('hex');

/** A token whose metadata are to be read; `uri` null: its contract is asked first. */
export const waiting = (uri: string | null): TokenMetadata => ({
  ...{ outcome: 'waiting', reason: null, uri, source: uri === null ? null : sourceOf(uri), readAt: 0, tries: 0 },
  ...{ picture: null, description: null, twitter: null, telegram: null, website: null, discord: null },
});

type Outcome = Pick<TokenMetadata, 'outcome' | 'reason' | 'picture'> &
  Pick<TokenMetadata, 'description' | 'twitter' | 'telegram' | 'website' | 'discord'>;

/** The value after a try. What a failed one did not see stays as it was. */
export function afterTry(before: TokenMetadata, uri: string, found: Outcome, now: number): TokenMetadata {
  const tries = before.tries + 1;
  const same = before.source === sourceOf(uri);
  const outcome = found.outcome === 'failed' && tries >= MOST_TRIES ? 'refused' : found.outcome;
  const kept = outcome === 'failed' || uri.length <= KEPT_URI ? uri : null;
  const value = { ...found, outcome, uri: kept, source: sourceOf(uri), readAt: now, tries };
  if (found.outcome !== 'failed' || !same) return value;
  const { picture, description, twitter, telegram, website, discord } = before;
  return {
    ...value,
    ...{ picture: found.picture ?? picture, description: found.description ?? description },
    ...{ twitter: found.twitter ?? twitter, telegram: found.telegram ?? telegram },
    ...{ website: found.website ?? website, discord: found.discord ?? discord },
  };
}

/** When a value is to be read (again); null: never. */
export function dueAt({ outcome, readAt, tries }: TokenMetadata): number | null {
  if (outcome === 'waiting') return 0;
  if (outcome !== 'failed') return null;
  return readAt + Math.min(FIRST_PAUSE_MS * 4 ** (tries - 1), MOST_PAUSE_MS);
}

/**
 * Tokens whose metadata wait to be read. The one that came last is read first: the newest tokens are looked at most.
 * Invariant: a token is in it at most once.
 */
export class MetadataQueue {
  private readonly wanted = new Set<Hex>();
  /** Due, the newest last; what is not wanted any more is passed over. */
  private ready: Hex[] = [];
  private readonly later = new Map<Hex, number>();
  private next = Number.POSITIVE_INFINITY;

  get size(): number {
    return this.wanted.size + this.later.size;
  }

  add(token: Hex, at: number): void {
    if (at > 0) {
      this.wanted.delete(token);
      this.later.set(token, at);
      this.next = Math.min(this.next, at);
      return;
    }
    this.later.delete(token);
    this.wanted.add(token);
    this.ready.push(token);
  }

  remove(token: Hex): void {
    this.wanted.delete(token);
    this.later.delete(token);
  }

  /** Takes the token that came last among those that are due; null while there is none. */
  take(now: number): Hex | null {
    if (now >= this.next) this.moveDue(now);
    for (let token = this.ready.pop(); token !== undefined; token = this.ready.pop()) {
      if (this.wanted.delete(token)) return token;
    }
    return null;
  }

  private moveDue(now: number): void {
    this.next = Number.POSITIVE_INFINITY;
    for (const [token, at] of this.later) {
      if (at > now) this.next = Math.min(this.next, at);
      else this.add(token, 0);
    }
  }
}
