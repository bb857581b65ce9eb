/** Writes the bytes of lower-case hex digits; false when they are no such digits or half a byte is left over. */
export function putHex(target: Uint8Array, at: number, digits: string): boolean {
  const { length } = digits;
  let wrong = length & 1;
  let place = at;
  for (let i = 0; i + 1 < length; i += 2) {
    const byte = (nibble(digits.charCodeAt(i)) << 4) | nibble(digits.charCodeAt(i + 1));
    wrong |= byte & ~0xff;
    target[place++] = byte;
  }
  return wrong === 0;
}

/** Value of a lower-case hex digit; for any other character a number that no byte can hold. */
const nibble = (code: number): number => (code < 128 ? NIBBLE[code]! : 256);
const NIBBLE = new Int16Array(128).fill(256);
for (const [value, digit] of [...'0123456789abcdef'].entries()) NIBBLE[digit.charCodeAt(0)] = value;
