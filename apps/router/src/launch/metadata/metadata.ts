import { launchFileName } from '#libs/protocol/launch-files.js';
import type { CreateRequest } from '../read-create.js';

/** Metadata of a token as wallets and explorers read them, and the name of the file: its content. */
export interface MetadataFile {
  readonly name: string;
  readonly body: Buffer;
}

export function metadataOf({ name, symbol, description, image, links }: CreateRequest): MetadataFile {
  const { website } = links;
  const fields = {
    ...{ name, symbol, description, image, ...links },
    ...(website === undefined ? {} : { external_url: website }),
  };
  const body = Buffer.from(JSON.stringify(fields), 'utf8');
  return { name: launchFileName(body), body };
}
