import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { METAPLEX_PROGRAM, metaplexAddress } from '#libs/chain/chains/solana/token/metaplex.js';
import type { Hex } from '#libs/core/ids.js';
import { idOf } from '#programs/client.js';

/** Metaplex' token metadata: the account with name, symbol and address of the metadata of a mint of the token program. */
export const METAPLEX = idOf(METAPLEX_PROGRAM);

export const metadataIdOf = (mint: Hex): Hex => idOf(metaplexAddress(solanaIds.formatAddress(mint)));
