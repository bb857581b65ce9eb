import { encodeBase58 } from '#libs/core/base58.js';

const TAG = 'TPAMMPL1';
const BYTES = 208;
/** The program accepts no fee above this. */
const MAX_FEE_BPS = 1000;

/** The account of a pool, as the program writes it: tag, mints, vaults, share mint, creator, fee, bump. Null for other data. */
export function readTidepoolPool(data: Uint8Array) {
  if (data.length !== BYTES || String.fromCharCode(...data.subarray(0, 8)) !== TAG) return null;
  const feeBps = data[200]! | (data[201]! << 8);
  if (feeBps > MAX_FEE_BPS) return null;
  const key = (at: number): string => encodeBase58(data.subarray(at, at + 32));
  return { mintA: key(8), mintB: key(40), vaultA: key(72), vaultB: key(104), feeBps: BigInt(feeBps) };
}
