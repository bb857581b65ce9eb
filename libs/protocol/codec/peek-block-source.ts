import type { BlockGroup } from '../blocks.js';
import { sourceIn } from './blocks-codec.js';
import { ByteReader } from './byte-reader.js';
import { readGroupHeader } from './group-header.js';

export type BlockSource = Pick<BlockGroup, 'source' | 'observedAt'>;

/** How and when the source saw the block of an encoded group of `blocks`, without its body; null for other groups. */
export function peekBlockSource(bytes: Uint8Array): BlockSource | null {
  const input = new ByteReader(bytes, 'blocks group');
  const { record, kind } = readGroupHeader(input);
  if (record !== 'blocks') input.fail(`a ${record} group`);
  if (kind !== 'block') return null;
  for (let ids = input.count(1); ids > 0; ids--) input.raw(input.u8());
  for (let labels = input.count(1); labels > 0; labels--) input.text();
  return { source: sourceIn(input.u8()) ?? input.fail('unknown source'), observedAt: input.varint() };
}
