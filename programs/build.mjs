// Compiles the programs: node programs/build.mjs [--check]
// clang 14 makes BPF objects, link.mjs makes executables of them in bin/. The same sources and the same compiler give the same
// bytes; --check compares them with the committed ones instead of writing.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { link } from './link.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
/** Debian 12: apt-get install --no-install-recommends clang-14 */
export const COMPILER = 'clang-14';
export const PROGRAMS = ['amm', 'launchpad', 'swap', 'hostile'];
const FLAGS =
  '-target bpfel -mcpu=v2 -O2 -std=c11 -ffreestanding -fno-builtin -fno-stack-protector -fno-strict-aliasing -fno-ident -Wall -Wextra -Werror -Wno-unused-parameter';

/** Null when the compiler is there, else what is missing. */
export function compilerMissing() {
  try {
    execFileSync(COMPILER, ['--version'], { stdio: 'pipe' });
    return null;
  } catch {
    return `${COMPILER} is not installed (Debian 12: apt-get install --no-install-recommends clang-14)`;
  }
}

/** Bytes of one executable, compiled now. */
export function compile(program) {
  const folder = mkdtempSync(join(tmpdir(), 'tidepool-program-'));
  try {
    const object = join(folder, 'object.o');
    execFileSync(COMPILER, [...FLAGS.split(' '), '-c', `${program}.c`, '-o', object], {
      cwd: join(HERE, 'src'),
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    return link(readFileSync(object));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const executablePath = (program) => join(HERE, 'bin', `${program}.so`);

if (process.argv[1] && process.argv[1] === fileURLToPath(import.meta.url)) {
  const missing = compilerMissing();
  if (missing) {
    console.error(missing);
    process.exit(1);
  }
  const check = process.argv.includes('--check');
  let wrong = 0;
  for (const program of PROGRAMS) {
    const bytes = compile(program);
    if (!check) writeFileSync(executablePath(program), bytes);
    const same = !check || readFileSync(executablePath(program)).equals(bytes);
    if (!same) wrong++;
    console.log(`${same ? 'ok    ' : 'DIFFER'} ${program}.so ${bytes.length} bytes`);
  }
  process.exit(wrong === 0 ? 0 : 1);
}
