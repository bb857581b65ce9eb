import { LRUCache } from 'lru-cache';
import type { Hex } from '#libs/core/ids.js';
import type { TokenFinding } from '../model/token-finding.js';
import type { TokenKnowledge } from '../ports.js';

/** A finding with the block that it was made at. */
export interface FoundAt {
  readonly finding: TokenFinding;
  readonly height: number;
  /** Unix ms, the block's own. */
  readonly time: number;
}

const DAY_MS = 86_400_000;
const MOST = 10_000;

/**
 * What simulations have found of one chain's tokens. Invariant: a finding counts for a day of block time; a later one
 * about the same token replaces it, and a build that went through without a tax removes it. Above the bound the oldest
 * finding is dropped.
 */
export class TokenFindings implements TokenKnowledge {
  private readonly found = new LRUCache<Hex, FoundAt>({ max: MOST });
  private changes = 0;
  private oldest = Number.POSITIVE_INFINITY;

  /** `headTime`: time of the newest block that quotes are priced at, Unix ms; null while there is none. */
  constructor(private readonly headTime: () => number | null) {}

  /** Changes with everything that may change a quote. */
  get version(): number {
    this.expire();
    return this.changes;
  }

  get size(): number {
    this.expire();
    return this.found.size;
  }

  of(token: Hex): TokenFinding | null {
    return this.found.peek(token)?.finding ?? null;
  }

  note(token: Hex, finding: TokenFinding, block: { height: number; time: number }): void {
    if (this.of(token) !== finding) this.changes++;
    this.found.set(token, { finding, ...block });
    this.oldest = Math.min(this.oldest, block.time);
  }

  /** Called when a build moved these tokens and all of the amount arrived. */
  clear(tokens: readonly Hex[]): void {
    for (const token of tokens) if (this.found.delete(token)) this.changes++;
  }

  /** For operators. */
  status(): Record<Hex, FoundAt> {
    return Object.fromEntries(this.found.entries());
  }

  private expire(): void {
    const now = this.headTime();
    if (now === null || now - this.oldest <= DAY_MS) return;
    this.oldest = Number.POSITIVE_INFINITY;
    for (const [token, { time }] of [...this.found.entries()]) {
      if (now - time > DAY_MS) {
        this.found.delete(token);
        this.changes++;
      } else this.oldest = Math.min(this.oldest, time);
    }
  }
}
