/** How many rows are read where so many are asked for: pages of nearly equal length share what is held. */
export function roundUp(limit: number): number {
  let rounded = 64;
  while (rounded < limit) rounded *= 2;
  return rounded;
}
