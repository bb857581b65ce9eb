import { existsSync, readFileSync } from 'node:fs';
import { TidepoolError } from '#libs/core/errors.js';

const LINE = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/;

/**
 * `.env` files: `NAME=value` lines, `#` comments, optional single or double quotes (double quotes know \n and \").
 * No expansion of other variables. What cannot be read is an error with its line, never skipped. `util.parseEnv` of Node is
 * not used: it skips a line that is none, an open quote takes the lines after it, and `#` ends a value within a word, so that
 * a URL would lose its end.
 */
function parseEnvFile(text: string, name = '.env'): Record<string, string> {
  const values: Record<string, string> = {};
  text.split(/\r?\n/).forEach((line, index) => {
    if (/^\s*(#.*)?$/.test(line)) return;
    const match = LINE.exec(line);
    if (!match) throw new TidepoolError('config', `${name}, line ${index + 1}: expected NAME=value`);
    values[match[1]!] = unquote(match[2]!, `${name}, line ${index + 1}`);
  });
  return values;
}

function unquote(raw: string, where: string): string {
  const quote = raw[0];
  if (quote !== '"' && quote !== "'") return raw.replace(/\s+#.*$/, '').trim();
  const end = raw.lastIndexOf(quote);
  if (end === 0 || !/^\s*(#.*)?$/.test(raw.slice(end + 1))) {
    throw new TidepoolError('config', `${where}: the quote is not closed`);
  }
  const inner = raw.slice(1, end);
  return quote === "'" ? inner : inner.replace(/\\(["\\n])/g, (_, char: string) => (char === 'n' ? '\n' : char));
}

/** Variables of the file, under those already set: the environment wins over the file. */
export function readEnvFile(path: string): Record<string, string> {
  return existsSync(path) ? parseEnvFile(readFileSync(path, 'utf8'), path) : {};
}
