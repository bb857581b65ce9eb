import { encodeBase58 } from '#libs/core/base58.js';
import { GenerationCache } from '#libs/core/generation-cache.js';

/**
 * Base58 texts of account keys whose bytes are given as characters. Most keys of a block are in many of its transactions and in
 * the next block, and making the text costs more than all else about a key.
 */
export class KeyTexts extends GenerationCache<string, string> {
  constructor(most = 50_000) {
    super(most, (name) => encodeBase58(Buffer.from(name, 'latin1')));
  }
}
