import { compactUsd } from '../format/numbers.js';

/** USD with a sign: coloured as a profit or a loss. */
export function Signed({ value }: { value: number | null }) {
  const tone = value === null || value === 0 ? '' : value > 0 ? 'up' : 'down';
  return <span class={tone}>{value !== null && value > 0 ? `+${compactUsd(value)}` : compactUsd(value)}</span>;
}
