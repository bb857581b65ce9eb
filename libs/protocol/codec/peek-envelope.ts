import { ByteReader } from './byte-reader.js';
import { type GroupHeader, readGroupHeader } from './group-header.js';

/** The envelope of an encoded group, of either record type, without looking at its body. */
export function peekEnvelope(bytes: Uint8Array): GroupHeader {
  return readGroupHeader(new ByteReader(bytes, 'group'));
}
