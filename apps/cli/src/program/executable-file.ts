import { readFileSync } from 'node:fs';
import { TidepoolError } from '#libs/core/errors.js';
import { executable } from '#programs/executable.js';
import { file, type Options, text } from './options.js';

const ELF = Buffer.from('7f454c46', 'hex');

/** The code of --file, or the shipped swap program. */
export function executableOf(options: Options): Buffer {
  const path = text(options, file.name);
  if (path === undefined) return executable('swap');
  const fail = (reason: string): never => {
    throw new TidepoolError('usage', `--file ${path}: ${reason}`);
  };
  let code: Buffer;
  try {
    code = readFileSync(path);
  } catch (error) {
    return fail(`it cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  return code.subarray(0, 4).equals(ELF) ? code : fail('it is no executable (an ELF file that ends in .so)');
}
