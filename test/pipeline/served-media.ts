import { join } from 'node:path';
import type { Pictures } from '#apps/api/src/access/api-parts.js';
import { PictureFiles } from '#apps/api/src/media/picture-files.js';
import type { TokenUris } from '#apps/ingest/src/metadata/contract-uri.js';
import { MetadataStage } from '#apps/ingest/src/metadata/metadata-stage.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { LaunchFiles } from '#libs/pipeline/epochs/launch-files.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { PictureTable } from '#libs/pipeline/store/pictures/picture-table.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { MetadataBook } from '#libs/serve/reader/metadata-book.js';

/** Where the pictures of these specs are said to be; the api serves them under its own address. */
export const PUBLIC_URL = 'https://api.example.com';

export interface ServedMediaOptions {
  log: EventLog;
  store: AnalyticsStore;
  dir: string;
  chain: ChainSpec;
  /** What the contracts of an EVM chain are asked with. */
  uris?: () => TokenUris;
  /** All that ingest may open: the sample picture of the router. */
  sampleImage: () => string;
}

/** What reads the metadata of one chain's tokens, and what an api shows of them. */
export class ServedMedia {
  readonly book: MetadataBook;
  readonly stage: MetadataStage;
  /** Files of routers, as ingest reads and marks them. */
  readonly marks: LaunchFiles;
  /** The part of an api. */
  readonly pictures: Pictures;

  constructor({ log, store, dir, chain, uris, sampleImage }: ServedMediaOptions) {
    this.book = new MetadataBook({ log, publicUrl: PUBLIC_URL, pollMs: 20 });
    this.marks = new LaunchFiles(log, `launch-files.${chain.slug}`);
    const table = new PictureTable(store);
    const kept = new PictureFiles(table, { dir: join(dir, 'pictures') });
    this.pictures = { knows: (name) => this.book.knowsPicture(name), read: (name) => kept.read(name) };
    this.stage = new MetadataStage({
      ...{ log, chain, pictures: table, marks: this.marks, pollMs: 20, uris: async () => uris?.() ?? null },
      reading: {
        gateways: { ipfs: 'https://ipfs.example.com', arweave: 'https://arweave.example.com' },
        launchFiles: (name) => this.marks.find(name),
        ownFiles: sampleImage,
      },
    });
  }
}
