/** Columns aligned with spaces; numbers to the right. The last column keeps its length. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const numeric = head.map((_, column) => rows.length > 0 && rows.every((row) => /^[\d,]*-?$/.test(row[column] ?? '')));
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (numeric[column] ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join('  ')
      .trimEnd();
  return [head, ...rows].map(line).join('\n');
}
