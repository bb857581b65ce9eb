import { direction, percent } from '../format/numbers.js';

/** A change in percent: coloured and with a sign, so that the colour alone does not carry the meaning. */
export function Change({ value, chip = false }: { value: number | null; chip?: boolean }) {
  return <span class={`change ${direction(value)}${chip ? ' chip' : ''}`}>{percent(value)}</span>;
}
