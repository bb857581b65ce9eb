/** The line through some values, scaled into a box; null where there is no line to draw. */
export function sparkPath(values: readonly number[], width: number, height: number): string | null {
  if (values.length < 2) return null;
  const low = Math.min(...values);
  const high = Math.max(...values);
  const range = high - low;
  const step = width / (values.length - 1);
  return values
    .map((value, index) => {
      const y = range === 0 ? height / 2 : height - ((value - low) / range) * height;
      return `${index === 0 ? 'M' : 'L'}${round(index * step)} ${round(y)}`;
    })
    .join('');
}

const round = (value: number): number => Math.round(value * 10) / 10;
