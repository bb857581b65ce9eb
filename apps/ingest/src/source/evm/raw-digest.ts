import { createHash } from 'node:crypto';
import type { RawBlock } from './raw-block.js';

/** Of all that a block is built from: two answers about one block with one digest say the same. */
export function rawDigest({ header, logs, senders }: RawBlock): string {
  const parts: string[] = [header.hash];
  logs.each(({ logIndex, transactionIndex, address, topics, data }) => {
    parts.push(`${logIndex},${transactionIndex},${address}`);
    for (const topic of topics) parts.push(topic);
    parts.push(data.slice(0, data.digits).toLowerCase(), senders.get(transactionIndex) ?? '');
  });
  return createHash('sha1').update(parts.join(), 'latin1').digest('base64');
}
