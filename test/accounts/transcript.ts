import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';

/** One command of a transcript, and what it printed. */
export interface TranscriptStep {
  readonly command: string;
  readonly printed: readonly string[];
}

/** The first block of such a section of a document that has lines with a prompt. */
export function transcriptOf(document: string, heading: string): TranscriptStep[] {
  const [, section = ''] = document.split(`\n${heading}\n`);
  const [, block = ''] = /```text\n([\s\S]*?)```/.exec(section) ?? [];
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [command = '', ...printed] = text.trimEnd().split('\n');
      return { command, printed: linesOf(printed.join('\n')) };
    });
}

/** Lines without what is at their ends; empty ones at the end are none. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd()
    .split('\n')
    .filter((line, at, all) => line !== '' || all.length > 1 || at > 0);

/** What differs from run to run: ids of keys, times, days, and how much of the rate is left. */
const VARYING = /[0-9a-f]{16}|\d{4}-\d\d-\d\dT[\d:.]+Z|\d{4}-\d\d-\d\d|(?<=^ratelimit-remaining: )\d+/g;
const ID = /^[0-9a-f]{16}$/;

/** Compares what is printed with a transcript; ids of keys are learnt where they first appear. */
export class TranscriptReader {
  private readonly ids = new Map<string, string>();

  /** A command with the ids that this run has. */
  command(text: string): string {
    return text.replaceAll(VARYING, (found) => this.ids.get(found) ?? found);
  }

  /**
   * The lines of the transcript that are not there, in whatever order rows of tables come; and those that are there besides,
   * but for the heads of answers, of which the transcript shows some.
   */
  missing({ command, printed }: TranscriptStep, output: string): string[] {
    const left = linesOf(output);
    const wrong = printed.filter((line) => {
      const at = left.findIndex((given) => this.fits(line, given));
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
    return /\bcurl -i\b/.test(command) ? wrong : [...wrong, ...left.map((line) => `no such line: ${line}`)];
  }

  private fits(line: string, given: string): boolean {
    if (shapeOf(line) !== shapeOf(given)) return false;
    const found = given.match(VARYING) ?? [];
    const ids = (line.match(VARYING) ?? []).flatMap((text, at) => (ID.test(text) ? [[text, found[at]!] as const] : []));
    if (ids.some(([wanted, id]) => (this.ids.get(wanted) ?? id) !== id)) return false;
    for (const [wanted, id] of ids) this.ids.set(wanted, id);
    return true;
  }
}

/** Columns are as wide as what is in them. */
const shapeOf = (line: string): string => line.replaceAll(VARYING, '?').replaceAll(/ {2,}/g, '  ');

/** A shell that keeps its variables from one command to the next. */
export class Shell {
  private readonly child: ChildProcessWithoutNullStreams;
  private heard = '';
  private readonly ended: Promise<never>;

  constructor(options: { cwd: string; env: Record<string, string>; prelude: string }) {
    const { cwd, env, prelude } = options;
    this.child = spawn('bash', ['--norc', '--noprofile'], { cwd, env: { ...process.env, ...env } });
    this.child.stdin.write(`exec 2>&1\n${prelude}\n`);
    this.ended = new Promise((_, fail) => this.child.once('close', () => fail(new Error(`bash ended: ${this.heard}`))));
    this.ended.catch(() => undefined);
  }

  /** What a command prints, to both outputs. */
  async run(command: string): Promise<string> {
    const mark = `end-of-${Math.trunc(performance.now() * 1_000)}`;
    this.heard = '';
    const done = new Promise<string>((resolve) => {
      const hear = (bytes: Buffer): void => {
        this.heard += bytes.toString('utf8');
        const at = this.heard.indexOf(`\n${mark}\n`);
        if (at < 0) return;
        this.child.stdout.off('data', hear);
        resolve(this.heard.slice(0, at));
      };
      this.child.stdout.on('data', hear);
    });
    this.child.stdin.write(`${command}\nprintf '\\n%s\\n' ${mark}\n`);
    return Promise.race([done, this.ended]);
  }

  close(): void {
    this.child.kill('SIGKILL');
  }
}
