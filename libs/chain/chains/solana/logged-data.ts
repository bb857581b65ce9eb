/**
 * What a program logged as data, without what others logged: a line belongs to the newest call that has not ended, and
 * the nth call of a program in the log is the nth instruction of that program. Logs may be cut short: then the rest is
 * missing, and nothing is taken for another's.
 */
const DATA = 'Program data: ';
const INVOKED = / invoke \[\d+\]$/;
const ENDED = /^Program \S+ (?:success$|failed: )/;
const PROGRAM = 'Program ';
/** From here on only the lines that are short enough are logged: calls may lack their beginning or end. */
const CUT = 'Log truncated';
const NOTHING: readonly Uint8Array[] = [];

interface Logged {
  readonly instructions: readonly { readonly program: string }[];
  readonly logs: readonly string[];
}

/** The first field of each data line that the instruction at that position wrote itself, not those below it. */
export function loggedData(tx: Logged, index: number): readonly Uint8Array[] {
  const { program } = tx.instructions[index]!;
  let nth = 0;
  for (let i = 0; i < index; i++) if (tx.instructions[i]!.program === program) nth++;
  /** For every call that has not ended: whether it is the one. */
  const open: boolean[] = [];
  let found = NOTHING;
  let seen = 0;
  for (const line of tx.logs) {
    if (line === CUT) break;
    if (!line.startsWith(PROGRAM)) continue;
    if (line.startsWith(DATA)) {
      if (open.at(-1) === true) found = [...found, firstField(line)];
    } else if (INVOKED.test(line) && !line.startsWith('Program log: ')) {
      const called = line.slice(PROGRAM.length, line.indexOf(' ', PROGRAM.length));
      open.push(called === program && seen++ === nth);
    } else if (ENDED.test(line) && !line.startsWith('Program log: ')) {
      if (open.pop() === true) break;
    }
  }
  return found;
}

function firstField(line: string): Uint8Array {
  const end = line.indexOf(' ', DATA.length);
  return Uint8Array.from(Buffer.from(line.slice(DATA.length, end < 0 ? undefined : end), 'base64'));
}
