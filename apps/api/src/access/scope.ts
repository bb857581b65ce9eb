/**
 * One spelling for requests of the same list: what a cursor is bound to. How many rows a page has is not part of it, so
 * that a page may be larger or smaller than the one before.
 */
export function scopeOf(route: string, subject: string, parameters: object): string {
  const entries = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return `${route}|${subject}|${JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}
