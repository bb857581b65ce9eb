import { EXAMPLE_WALLET } from './examples.js';
import { chainName, requiredWord } from './query-field.js';

/** As long as a segment of a path may be: what is wrong with a shorter one is said by the rule of its chain. */
const MOST_CHARACTERS = 4_096;
const EXAMPLE_TOKEN = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';

/** A token named in a path. */
export class TokenPath {
  @chainName(MOST_CHARACTERS)
  chain!: string;

  @requiredWord(
    'address',
    'Address of the token: 0x and 40 hex digits on EVM chains, base58 of 32 bytes on Solana. `native` and 0xeee…e name the coin of the chain.',
    MOST_CHARACTERS,
    { examples: [EXAMPLE_TOKEN] },
  )
  address!: string;
}

/** A wallet named in a path. */
export class WalletPath {
  @chainName(MOST_CHARACTERS)
  chain!: string;

  @requiredWord(
    'address',
    'Address of the wallet: 0x and 40 hex digits on EVM chains, base58 of 32 bytes on Solana.',
    MOST_CHARACTERS,
    { examples: [EXAMPLE_WALLET] },
  )
  address!: string;
}
