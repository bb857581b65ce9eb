import type { OnApplicationShutdown } from '@nestjs/common';
import type { Shutdown } from '#libs/platform/shutdown.js';

/**
 * What was opened for this process and is closed after the stages have ended: the last opened first, one after the other.
 * A start that fails half-way closes what it had opened through the same steps, since an application that did not start
 * has no shutdown hooks.
 */
export class Resources implements OnApplicationShutdown {
  private readonly ends: (() => Promise<void>)[] = [];

  constructor(private readonly shutdown: Shutdown) {}

  /** Remembers how to close what was opened, and answers it. */
  opened<T>(name: string, resource: T, close: (resource: T) => Promise<void> | void): T {
    this.ends.push(this.shutdown.add(name, () => close(resource)));
    return resource;
  }

  async onApplicationShutdown(): Promise<void> {
    for (const end of this.ends.reverse()) await end();
  }
}
