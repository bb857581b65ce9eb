/** For `JSON.stringify`: a bigint as a decimal text, which no reader rounds. */
export const bigintAsText = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? value.toString() : value;
