import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import type { KeyedState } from './keyed-state.js';
import { RecordPacker } from './packed-records.js';

const PAGE = 1_000;
const CHUNK_BYTES = 256 * 1024;

/**
 * Hash of the newest values, without spaces that follow from others: it depends on the logical content alone, not on the path to it nor
 * on where it is kept. The state must not change meanwhile.
 */
export async function stateHash(state: KeyedState): Promise<Hex> {
  const digest = createHash('sha256');
  const { changeCount } = state;
  for (const space of state.declared) {
    if (space.derived) continue;
    const keyed = state.space(space);
    digest.update(JSON.stringify([space.name, space.version]));
    const packer = new RecordPacker(CHUNK_BYTES);
    for (let from: Hex | null = ''; from !== null; ) {
      if (state.changeCount !== changeCount)
        throw new TidepoolError('state_moved', 'the state changed while its hash was computed');
      const page = keyed.range({ from, to: null, limit: PAGE });
      for (const [key, value] of page) packer.add(0, key, space.encode(value));
      digest.update(packer.take());
      from = page.length < PAGE ? null : `${page.at(-1)![0]}00`;
      await nextTurn();
    }
  }
  return digest.digest('hex').slice(0, 32);
}
