/** A JSON number with its text, so that a whole number beyond 2^53 is exact and `1e3` differs from `1000`. */
export class JsonNumber {
  constructor(readonly text: string) {}

  /** The nearest number a double can be; what JSON values are compared by. */
  get value(): number {
    return Number(this.text);
  }

  /** The exact value of a whole number written as one; null for `1.0`, `1e3` and the like. */
  get integer(): bigint | null {
    return /^-?\d+$/.test(this.text) ? BigInt(this.text) : null;
  }
}

/** The value as JSON without spaces: numbers as they were written, a bigint as an exact number, as nodes write 64-bit values. */
export function jsonText(value: unknown): string {
  if (value instanceof JsonNumber) return value.text;
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`).join(',')}}`;
}
