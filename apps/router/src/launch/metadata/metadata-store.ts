/** Port: the metadata files of created tokens. A file is found by every router of the installation once `put` has ended. */
export interface MetadataStore {
  /** Of the create of a token on that chain. */
  put(body: Buffer, chain: string): Promise<void>;
  /** The content of that name; null where there is none. */
  find(name: string): Promise<Uint8Array | null>;
}
