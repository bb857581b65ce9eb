import { GenerationCache } from '#libs/core/generation-cache.js';
import type { Hex } from '#libs/core/ids.js';
import type { AuthorityRole, MetadataEvent, TokenRecord } from '#libs/protocol/blocks.js';
import type { KnownAccounts } from '../accounts.js';
import { metaplexAddress, readMetaplex } from './metaplex.js';
import { type Mint, readMint } from './mint.js';
import { readInterfaceMetadata, type TokenMetadata, type TokenTexts } from './token-metadata.js';

/** All that the chain says of a token. Supply is that of the moment of asking. */
export interface TokenFacts {
  readonly record: TokenRecord;
  /** Null when the mint's account is gone or is none: then there is nothing more than the record. */
  readonly details: TokenDetails | null;
}

interface TokenDetails {
  readonly authorities: readonly (readonly [AuthorityRole, Hex | null])[];
  readonly metadata: Pick<MetadataEvent, 'uri' | 'standard' | 'transferFeeBps' | 'extensions'>;
}

/**
 * Accounts that tell of a token, given those that are known so far: asked again with the answers until it names nothing
 * new.
 */
export function tokenNeeds(mint: string, known: KnownAccounts): readonly string[] {
  const account = known.get(mint);
  const pointer = account ? (readMint(account)?.pointer ?? null) : null;
  const needs = [mint, metaplexAddressOf(mint)];
  if (pointer !== null && pointer !== mint) needs.push(pointer);
  return needs;
}

/**
 * `seenDecimals`: what a transaction said of the mint's decimals, for a mint that is gone. `launched`: what its launchpad says of it,
 * which counts where the token has no metadata of its own. Never throws.
 */
export function readMintFacts(
  token: Hex,
  mint: string,
  known: KnownAccounts,
  seenDecimals: number | null,
  launched: TokenTexts | null = null,
): TokenFacts {
  const account = known.get(mint);
  const found = account ? readMint(account) : null;
  const metadata = metadataOf(token, mint, found, known);
  const texts = metadata ?? launched;
  const record = {
    token,
    decimals: found === null ? seenDecimals : found.decimals,
    symbol: texts?.symbol ?? null,
    name: texts?.name ?? null,
    totalSupply: found?.supply ?? null,
  };
  if (found === null) return { record, details: null };
  const { standard, transferFeeBps, extensions, mintAuthority, freezeAuthority } = found;
  return {
    record,
    details: {
      authorities: [
        ['mint', mintAuthority],
        ['freeze', freezeAuthority],
        ['metadata', metadata?.authority ?? null],
      ],
      metadata: { uri: texts?.uri ?? null, standard, transferFeeBps, extensions: [...extensions] },
    },
  };
}

/**
 * The metadata that count: those that the mint itself names or holds, else those of Metaplex. An account that tells of
 * another mint counts for nothing, since anybody may name any account.
 */
function metadataOf(token: Hex, mint: string, found: Mint | null, known: KnownAccounts): TokenMetadata | null {
  const named = found === null ? null : namedMetadata(mint, found, known);
  if (named?.mint === token) return named;
  const account = known.get(metaplexAddressOf(mint));
  const metaplex = account ? readMetaplex(account) : null;
  return metaplex?.mint === token ? metaplex : null;
}

function namedMetadata(mint: string, { pointer, metadata }: Mint, known: KnownAccounts): TokenMetadata | null {
  if (pointer === null || pointer === mint) return metadata;
  const account = known.get(pointer);
  return account ? (readMetaplex(account) ?? readInterfaceMetadata(account.data)) : null;
}

/** Deriving an address takes longer than all the rest; each is asked for when a token is met and when it is read. */
const addresses = new GenerationCache(5_000, metaplexAddress);

const metaplexAddressOf = (mint: string): string => addresses.get(mint);
