/** Base58 texts of addresses, hashes and signatures. Decoding is strict: a foreign character is an error, never skipped. */
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGITS = new Int8Array(128).fill(-1);
for (let i = 0; i < ALPHABET.length; i++) DIGITS[ALPHABET.charCodeAt(i)] = i;
/** 58^5 fits in 30 bits: five digits are handled at once. */
const BIG_BASE = 58 ** 5;

export function encodeBase58(bytes: Uint8Array): string {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  const limbs: number[] = [];
  for (let i = zeros; i < bytes.length; i++) {
    let carry = bytes[i] as number;
    for (let j = 0; j < limbs.length; j++) {
      const value = (limbs[j] as number) * 256 + carry;
      carry = Math.floor(value / BIG_BASE);
      limbs[j] = value - carry * BIG_BASE;
    }
    if (carry > 0) limbs.push(carry);
  }
  let digits = '';
  for (let j = limbs.length - 1; j >= 0; j--) {
    let limb = limbs[j] as number;
    let five = '';
    for (let k = 0; k < 5; k++) {
      five = ALPHABET[limb % 58] + five;
      limb = Math.floor(limb / 58);
    }
    digits += five;
  }
  let lead = 0;
  while (lead < digits.length && digits[lead] === '1') lead++;
  return '1'.repeat(zeros) + digits.slice(lead);
}

/** The bytes of a text, or null when it is not base58. */
export function decodeBase58(text: string): Uint8Array | null {
  let zeros = 0;
  while (zeros < text.length && text[zeros] === '1') zeros++;
  const bytes: number[] = [];
  for (let i = zeros; i < text.length; i++) {
    const code = text.charCodeAt(i);
    let carry = code < 128 ? (DIGITS[code] as number) : -1;
    if (carry < 0) return null;
    for (let j = 0; j < bytes.length; j++) {
      const value = (bytes[j] as number) * 58 + carry;
      bytes[j] = value & 255;
      carry = value >> 8;
    }
    while (carry > 0) {
      bytes.push(carry & 255);
      carry >>= 8;
    }
  }
  const out = new Uint8Array(zeros + bytes.length);
  for (let j = 0; j < bytes.length; j++) out[out.length - 1 - j] = bytes[j] as number;
  return out;
}

/** The 32 bytes of an address; for texts the program knows to be addresses. */
export function addressBytes(address: string): Uint8Array {
  const bytes = decodeBase58(address);
  if (bytes?.length !== 32) throw new RangeError(`${address} is not the base58 text of 32 bytes`);
  return bytes;
}
