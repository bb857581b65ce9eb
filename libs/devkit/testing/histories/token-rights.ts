import type { Hex } from '#libs/core/ids.js';
import type { AuthorityEvent, MetadataEvent } from '#libs/protocol/blocks.js';
import { SeededRandom } from '../seeded-random.js';

/** Of which a mint of Token-2022 has one. */
const EXTENSIONS = [[], ['tokenMetadata'], ['metadataPointer', 'tokenMetadata', 'transferFeeConfig'], ['extension99']];

/**
 * What a transaction of a random history says, now and then, of who may change a token, of what it takes of transfers and of what it is. A function
 * of the transaction's id, so that it says the same when it is mined again.
 */
export function rightsSaid(tx: Hex, tokens: readonly Hex[]): Said[] {
  const random = new SeededRandom(Number.parseInt(tx.slice(8, 16), 16));
  if (!random.chance(0.1) || tokens.length === 0) return [];
  return Array.from({ length: random.int(1, 3) }, (): Said => {
    const token = random.pick(tokens);
    if (random.chance(0.3)) {
      const transferFeeBps = random.pick([0, 1, 250, 10_000]);
      const standard = random.pick(['token', 'token-2022', 'token-2022']);
      const extensions = standard === 'token' ? [] : random.pick(EXTENSIONS);
      return { kind: 'metadata', token, uri: null, standard, transferFeeBps, extensions: [...extensions] };
    }
    const authority = random.chance(0.5) ? random.hex(token.length / 2) : null;
    return { kind: 'authority', token, role: random.pick(['mint', 'freeze', 'metadata'] as const), authority };
  });
}

type Said = Omit<AuthorityEvent, 'tx' | 'ordinal'> | Omit<MetadataEvent, 'tx' | 'ordinal'>;
