import { encodeBase58 } from '#libs/core/base58.js';
import type { Hex } from '#libs/core/ids.js';
import type { SolanaAccount } from '../accounts.js';
import { wordAt } from '../bytes.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../programs.js';
import { hexOf } from './byte-cursor.js';
import { readTokenMetadata, type TokenMetadata } from './token-metadata.js';

/** The account of a mint of SPL Token or Token-2022, its extensions among it. */
export interface Mint {
  readonly standard: 'token' | 'token-2022';
  /** Null where no amount would make sense. */
  readonly decimals: number | null;
  readonly supply: bigint;
  readonly mintAuthority: Hex | null;
  readonly freezeAuthority: Hex | null;
  /** The fee that was set last; it counts from two epochs after that at the latest. */
  readonly transferFeeBps: number;
  /** Names as nodes show them, ascending. */
  readonly extensions: readonly string[];
  /** Base58 address of the account that the mint names for its metadata; null when it names none. */
  readonly pointer: string | null;
  /** What the mint's own account says. */
  readonly metadata: TokenMetadata | null;
}

const MINT_BYTES = 82;
/** Extensions follow the size of a token account and a byte that tells mints from those. */
const KIND_AT = 165;
const MINT_KIND = 1;
const EXTENSIONS_AT = 166;
const MAX_DECIMALS = 36;
const MAX_FEE_BPS = 10_000;

const TRANSFER_FEE = 1;
/** Behind two authorities, the withheld amount and the older fee; the newer one's own epoch and maximum come first. */
const NEWER_FEE_BPS_AT = 106;
const METADATA_POINTER = 18;
const TOKEN_METADATA = 19;

/** Extensions of mints by their type. */
const NAMES: Readonly<Record<number, string>> = {
  1: 'transferFeeConfig',
  3: 'mintCloseAuthority',
  4: 'confidentialTransferMint',
  6: 'defaultAccountState',
  9: 'nonTransferable',
  10: 'interestBearingConfig',
  12: 'permanentDelegate',
  14: 'transferHook',
  16: 'confidentialTransferFeeConfig',
  18: 'metadataPointer',
  19: 'tokenMetadata',
  20: 'groupPointer',
  21: 'tokenGroup',
  22: 'groupMemberPointer',
  23: 'tokenGroupMember',
  24: 'confidentialMintBurn',
  25: 'scaledUiAmountConfig',
  26: 'pausableConfig',
};

/** Null for every account that is no initialized mint. */
export function readMint({ owner, data }: SolanaAccount): Mint | null {
  const extended = owner === TOKEN_2022_PROGRAM;
  if (!extended && owner !== TOKEN_PROGRAM) return null;
  const sized = data.length === MINT_BYTES || (extended && data.length > KIND_AT && data[KIND_AT] === MINT_KIND);
  if (!sized || data[45] !== 1) return null;
  const decimals = data[44]!;
  return {
    standard: extended ? 'token-2022' : 'token',
    decimals: decimals > MAX_DECIMALS ? null : decimals,
    supply: wordAt(data, 36),
    mintAuthority: optionalKey(data, 0),
    freezeAuthority: optionalKey(data, 46),
    ...readExtensions(data),
  };
}

function readExtensions(data: Uint8Array): Pick<Mint, 'transferFeeBps' | 'extensions' | 'pointer' | 'metadata'> {
  const names: string[] = [];
  let transferFeeBps = 0;
  let pointer: string | null = null;
  let metadata: TokenMetadata | null = null;
  for (let at = EXTENSIONS_AT; at + 4 <= data.length; ) {
    const type = data[at]! | (data[at + 1]! << 8);
    const end = at + 4 + (data[at + 2]! | (data[at + 3]! << 8));
    if (type === 0 || end > data.length) break;
    const value = data.subarray(at + 4, end);
    at = end;
    names.push(NAMES[type] ?? `extension${type}`);
    if (type === TRANSFER_FEE && value.length >= NEWER_FEE_BPS_AT + 2) {
      transferFeeBps = Math.min(value[NEWER_FEE_BPS_AT]! | (value[NEWER_FEE_BPS_AT + 1]! << 8), MAX_FEE_BPS);
    } else if (type === METADATA_POINTER && value.length >= 64) {
      const target = value.subarray(32, 64);
      if (target.some((byte) => byte !== 0)) pointer = encodeBase58(target);
    } else if (type === TOKEN_METADATA) metadata = readTokenMetadata(value);
  }
  return { transferFeeBps, extensions: [...new Set(names)].sort(), pointer, metadata };
}

const optionalKey = (data: Uint8Array, at: number): Hex | null =>
  data[at] === 1 ? hexOf(data.subarray(at + 4, at + 36)) : null;
