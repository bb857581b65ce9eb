import type { ChannelPosition, KeySnapshot, Pending } from '#libs/serve/live/channel.js';

/**
 * The newest snapshot of one key. It is a function of the groups that concern the key, so that it is valid at every
 * later position until one of them comes: subscribers in between share it.
 */
export class KeySnapshots {
  private newest: Pending<KeySnapshot> | null = null;

  /** The snapshot that is still current, or the one that `load` begins at this position. */
  get(position: ChannelPosition, load: () => Promise<KeySnapshot>): Pending<KeySnapshot> {
    if (this.newest !== null) return this.newest;
    const pending = { ...position, ready: load() };
    this.newest = pending;
    pending.ready.catch(() => {
      if (this.newest === pending) this.newest = null;
    });
    return pending;
  }

  /** For rows that change with every block: it is at its own position only. */
  keepAt({ epoch, seq }: ChannelPosition): void {
    if (this.newest?.seq !== seq || this.newest.epoch !== epoch) this.newest = null;
  }

  /** Something changed: it is no longer current. */
  drop(): void {
    this.newest = null;
  }
}
