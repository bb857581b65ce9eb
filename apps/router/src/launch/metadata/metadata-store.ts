import { launchFileName } from '#libs/protocol/launch-files.js';

/** Port: the metadata files of created tokens. A file is found by every router of the installation once `put` has ended. */
export interface MetadataStore {
  /** Of the create of a token on that chain. */
  put(body: Buffer, chain: string): Promise<void>;
  /** The content of that name; null where there is none. */
  find(name: string): Promise<Uint8Array | null>;
}

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
