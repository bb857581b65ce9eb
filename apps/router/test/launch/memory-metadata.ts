import { launchFileName } from '#libs/protocol/launch-files.js';
import type { MetadataStore } from '../../src/launch/metadata/metadata-store.js';

/** In this process alone. */
export class MemoryMetadata implements MetadataStore {
  private readonly files = new Map<string, Uint8Array>();

  async put(body: Buffer): Promise<void> {
    this.files.set(launchFileName(body), body);
  }

  async find(name: string): Promise<Uint8Array | null> {
    return this.files.get(name) ?? null;
  }
}
