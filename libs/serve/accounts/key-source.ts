/**
 * Where a request carries its key. The sources have one order: `x-api-key`, `Authorization: Bearer`, query `apiKey`,
 * query `api_key`. An empty value, or an `Authorization` that is not Bearer, counts as absent; a repeated header or
 * parameter counts with its first value; the first source present decides, even if its key is wrong.
 */
export interface KeyCarrier {
  /** Name, value, name, value … as received, so that repeated headers stay apart. */
  rawHeaders: readonly string[];
  /** Query string without the question mark. */
  query: string;
}

/** The key a request presents, or null when it presents none. */
export function presentedKey(
  carrier: KeyCarrier,
  queryNames: readonly string[] = ['apiKey', 'api_key'],
): string | null {
  const header = firstHeader(carrier.rawHeaders, 'x-api-key').trim();
  if (header !== '') return header;
  const bearer = /^bearer +(.+)$/i.exec(firstHeader(carrier.rawHeaders, 'authorization').trim())?.[1]?.trim();
  if (bearer) return bearer;
  if (carrier.query === '') return null;
  const parameters = new URLSearchParams(carrier.query);
  for (const name of queryNames) {
    const value = parameters.get(name)?.trim();
    if (value) return value;
  }
  return null;
}

function firstHeader(rawHeaders: readonly string[], name: string): string {
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const given = rawHeaders[i]!;
    if (given.length === name.length && given.toLowerCase() === name) return rawHeaders[i + 1]!;
  }
  return '';
}
