import { readFile } from 'node:fs/promises';
import { decodeDocument } from './decode-document.js';
import { NotATransactionError } from './documents.js';

export interface DecodeIo {
  stdin: AsyncIterable<Uint8Array | string>;
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
}

const USAGE = `usage: tidepool decode FILE…

Prints one JSON line per swap found in each FILE ("-" reads standard input): a receipt, a {tx, receipt} pair, a block
with receipts, a getTransaction or getBlock answer of Solana, a JSON-RPC envelope, or an array of these. Swaps of Solana
programs that are not known are counted on standard error. A trade's amounts are in base units; its instruction is "3" for
the fourth top-level instruction, "3.2" for the third entry of that one's list of inner instructions.
Exit code 0: every file was read (also when nothing in it decodes); 1: a file is missing, not JSON or not a transaction.
`;

/** Body of `tidepool decode`. Every file is tried; the swaps of the good ones are printed even when another fails. */
export async function runDecode(args: string[], io: DecodeIo): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    io.stdout.write(USAGE);
    return 0;
  }
  const unknown = args.find((arg) => arg.startsWith('-') && arg !== '-');
  if (args.length === 0 || unknown !== undefined) {
    io.stderr.write(unknown === undefined ? USAGE : `tidepool decode: unknown option ${unknown}\n${USAGE}`);
    return 1;
  }
  let code = 0;
  for (const file of args) {
    const problem = await decodeFile(file, io);
    if (problem === null) continue;
    io.stderr.write(`tidepool decode: ${name(file)}: ${problem}\n`);
    code = 1;
  }
  return code;
}

const name = (file: string): string => (file === '-' ? 'standard input' : file);

/** "3 swaps of other programs not decoded: <program> 2, <program> 1". */
function undecodedNote(programs: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const program of programs) counts.set(program, (counts.get(program) ?? 0) + 1);
  const list = [...counts].map(([program, count]) => `${program} ${count}`).join(', ');
  return `${programs.length} ${programs.length === 1 ? 'swap' : 'swaps'} of other programs not decoded: ${list}`;
}

/** Prints the swaps of one file; what is wrong with it otherwise. */
async function decodeFile(file: string, io: DecodeIo): Promise<string | null> {
  let text: string;
  try {
    text = file === '-' ? await readAll(io.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    return `cannot be read (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`;
  }
  let document: unknown;
  try {
    document = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    return `not JSON: ${(error as Error).message}`;
  }
  try {
    const { lines, undecoded } = decodeDocument(document);
    if (lines.length > 0) io.stdout.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    if (undecoded.length > 0) io.stderr.write(`tidepool decode: ${name(file)}: ${undecodedNote(undecoded)}\n`);
    return null;
  } catch (error) {
    if (error instanceof NotATransactionError) return error.message;
    throw error;
  }
}

async function readAll(stream: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
