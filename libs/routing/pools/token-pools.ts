import type { Hex } from '#libs/core/ids.js';
import type { LivePool } from './live-pool.js';

/** What a book has in memory of one token. */
export class TokenPools {
  readonly pools = new Set<LivePool>();
  /** The other token of every pool so far. */
  private only: Hex | null = null;

  /**
   * @param leads Its pools are with more than one other token, so that routes can lead through it; once it is so it stays so.
   */
  constructor(public leads: boolean) {}

  add(pool: LivePool, other: Hex): void {
    this.pools.add(pool);
    this.only ??= other;
    if (this.only !== other) this.leads = true;
  }
}
