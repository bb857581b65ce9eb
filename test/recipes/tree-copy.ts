import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { removeFolderSync } from '#libs/devkit/testing/remove-folder.js';

/**
 * One line of a file that exists: added after the line that contains `after`, or an entry (`line`) added in that very line
 * right behind `after` when `inside` says so, or what a function makes of that very line. Its import is added at the top.
 */
export interface AddedLine {
  readonly file: string;
  readonly after: string;
  readonly line: string | ((found: string) => string);
  readonly inside?: boolean;
  /** The import that the line needs, if any: added before the first line of the file. */
  readonly imports?: string;
}

const run = promisify(execFile);

/** A copy of the project's tracked files in a folder of its own, with the installed packages of the original. */
export class TreeCopy {
  private constructor(readonly folder: string) {}

  static async of(project: string): Promise<TreeCopy> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tidepool-recipe-')));
    const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
      cwd: project,
      maxBuffer: 1 << 26,
    });
    for (const file of stdout.split('\0')) {
      if (file === '' || file.startsWith('docs/screenshots/') || !existsSync(join(project, file))) continue;
      cpSync(join(project, file), join(folder, file));
    }
    symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
    return new TreeCopy(folder);
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  /** Writes a file that must not exist yet. */
  create(file: string, text: string): void {
    if (existsSync(join(this.folder, file))) throw new Error(`${file} exists already: it is no new file`);
    mkdirSync(dirname(join(this.folder, file)), { recursive: true });
    writeFileSync(join(this.folder, file), text);
  }

  addLine({ file, after, line, inside = false, imports }: AddedLine): void {
    const lines = this.read(file).split('\n');
    const at = lines.findIndex((candidate) => candidate.includes(after));
    if (at < 0) throw new Error(`${file} has no line with ${JSON.stringify(after)}`);
    if (typeof line === 'function') lines[at] = line(lines[at]!);
    else if (inside) lines[at] = lines[at]!.replace(after, `${after}${line}`);
    else lines.splice(at + 1, 0, line);
    writeFileSync(join(this.folder, file), [...(imports ? [imports] : []), ...lines].join('\n'));
  }

  /** Runs a script of the copy with this Node; answers its output, throws it where the script fails. */
  async node(...args: string[]): Promise<string> {
    try {
      const { stdout, stderr } = await run(process.execPath, args, {
        cwd: this.folder,
        maxBuffer: 1 << 26,
        env: { ...process.env, NODE_OPTIONS: '' },
      });
      return stdout + stderr;
    } catch (error) {
      const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string };
      throw new Error(`${args.join(' ')} in the copy of the tree:\n${stdout}${stderr}\n${message}`);
    }
  }

  /** Runs jest in the copy; answers its output, throws it where a spec fails. */
  jest(...args: string[]): Promise<string> {
    const flags = ['--experimental-vm-modules', '--max-semi-space-size=64', '--no-warnings'];
    return this.node(...flags, 'node_modules/jest/bin/jest.js', ...args);
  }

  remove(): void {
    removeFolderSync(this.folder);
  }
}
