import type { Hex } from '#libs/core/ids.js';
import type { PoolKind, PoolRecord } from '#libs/protocol/blocks.js';

/** What never changes about a pool: its record in the log. */
export abstract class RecordedPool {
  constructor(readonly record: PoolRecord) {}

  get id(): Hex {
    return this.record.pool;
  }

  get venue(): string {
    return this.record.venue;
  }

  get kind(): PoolKind {
    return this.record.kind;
  }

  get token0(): Hex {
    return this.record.token0;
  }

  get token1(): Hex {
    return this.record.token1;
  }
}
