/** Largest r with r · r ≤ value, by Newton's method from above; the value is not negative. */
export function squareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = firstGuess(value);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** At least the root: the root of the leading bits as a double, with more than its error added. */
function firstGuess(value: bigint): bigint {
  const bits = value.toString(16).length * 4;
  const shift = Math.max(0, bits - 52) & ~1;
  const leading = Math.sqrt(Number(value >> BigInt(shift)));
  return BigInt(Math.ceil(leading) + 2) << BigInt(shift / 2);
}
