import { UndecodableError } from '#libs/core/errors.js';
import { bigintAsText } from '#libs/core/json-bigint.js';
import { POOL_MARK_KEY } from '../pool-copy.js';
import { decodePart, decodePoolCopy, decodePoolMark, isFurtherPart, partKey } from './pool-copy-codec.js';

/**
 * A record of `pools.*` for people: amounts as decimal strings. A pool's copy is shown under its id with all its parts; the
 * further parts are only named. It cannot be parsed back.
 */
export function poolRecordView(key: string, value: Uint8Array, records: ReadonlyMap<string, Uint8Array>): unknown {
  try {
    if (key === POOL_MARK_KEY) return decodePoolMark(value);
    if (!isFurtherPart(key)) {
      const copy = decodePoolCopy(key, value, (index) => records.get(partKey(key, index)));
      if (copy !== null) return plain(copy);
    }
    const { seq, index, parts } = decodePart(value);
    return { seq, part: index, parts };
  } catch (error) {
    if (!(error instanceof UndecodableError)) throw error;
    return { undecodable: error.message, base64: Buffer.from(value).toString('base64') };
  }
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value, bigintAsText));
