/** One spelling for equal requests: what a cursor is bound to and an answer is kept under. */
export function scopeOf(route: string, subject: string, parameters: object): string {
  const entries = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return `${route}|${subject}|${JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}
