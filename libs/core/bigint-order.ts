/** `Math.min` and `Math.max` of two bigints. */
export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const greatest = (a: bigint, b: bigint): bigint => (least(a, b) === a ? b : a);
