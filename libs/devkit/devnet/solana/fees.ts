import type { WireTransaction } from '#libs/chain/chains/solana/wire-transaction.js';

/** What a transaction costs: 5,000 lamports a signature, and its priority fee. */
const LAMPORTS_PER_SIGNATURE = 5000n;
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
/** Their instructions carry signatures of their own, counted by the first byte of the data. */
const SIGNATURE_PROGRAMS = new Set([
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
]);
/** Programs inside the runtime; an instruction of theirs is granted 3,000 units instead of 200,000. */
const BUILTINS = new Set([
  COMPUTE_BUDGET,
  ...SIGNATURE_PROGRAMS,
  '11111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
]);
const MAX_UNITS = 1_400_000n;

export function feeOf(transaction: WireTransaction): bigint {
  let signatures = BigInt(transaction.header.required);
  let limit: bigint | null = null;
  let price = 0n;
  let granted = 0n;
  for (const { programIndex, data } of transaction.instructions) {
    const program = transaction.keys[programIndex] as string;
    if (SIGNATURE_PROGRAMS.has(program)) signatures += BigInt(data[0] ?? 0);
    granted += BUILTINS.has(program) ? 3000n : 200_000n;
    if (program !== COMPUTE_BUDGET) continue;
    const bytes = Buffer.from(data);
    if (bytes[0] === 2 && bytes.length >= 5) limit = BigInt(bytes.readUInt32LE(1));
    if (bytes[0] === 3 && bytes.length >= 9) price = bytes.readBigUInt64LE(1);
  }
  const base = signatures * LAMPORTS_PER_SIGNATURE;
  if (transaction.version === 1) return base + (transaction.config?.priorityFee ?? 0n);
  const asked = limit ?? granted;
  const units = asked < MAX_UNITS ? asked : MAX_UNITS;
  return base + (price * units + 999_999n) / 1_000_000n;
}

/** Micro-lamports a compute unit a transaction offers, as getRecentPrioritizationFees reports it. */
export function unitPriceOf(transaction: WireTransaction): bigint {
  if (transaction.version === 1) {
    const { priorityFee = 0n, computeUnitLimit = 0 } = transaction.config ?? {};
    return computeUnitLimit > 0 ? (priorityFee * 1_000_000n) / BigInt(computeUnitLimit) : 0n;
  }
  for (const { programIndex, data } of transaction.instructions) {
    if (transaction.keys[programIndex] !== COMPUTE_BUDGET || data[0] !== 3 || data.length < 9) continue;
    return Buffer.from(data).readBigUInt64LE(1);
  }
  return 0n;
}
