import { readFileSync, statSync } from 'node:fs';
import { Keypair } from '@solana/web3.js';
import { TidepoolError } from '#libs/core/errors.js';

/**
 * A key pair as solana-keygen writes it: a JSON list of 64 numbers, the secret half and the public one. No message about a
 * file holds anything of its content.
 */
export function readKeypair(option: string, path: string, warn: (text: string) => void): Keypair {
  const fail = (reason: string): never => {
    throw new TidepoolError('usage', `${option} ${path}: ${reason}`);
  };
  let text: string;
  try {
    const { mode } = statSync(path);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      warn(`${path} holds a secret key and others may read it: chmod 600 ${path}`);
    }
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return fail('there is no such file; solana-keygen new -o FILE makes one');
    return fail(code === 'EISDIR' ? 'it is a folder, not a key file' : `it cannot be read (${code})`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail('it is not JSON; a file of solana-keygen is a list of 64 numbers');
  }
  if (!Array.isArray(value)) return fail('it is not a list; a file of solana-keygen is a list of 64 numbers');
  if (value.length !== 64) return fail(`it has ${value.length} numbers; a file of solana-keygen has 64`);
  const wrong = value.findIndex((byte) => !Number.isInteger(byte) || byte < 0 || byte > 255);
  if (wrong >= 0) return fail(`entry ${wrong} is not a whole number from 0 to 255`);
  try {
    return Keypair.fromSecretKey(Uint8Array.from(value));
  } catch {
    return fail('its public half does not belong to its secret half; the file is damaged');
  }
}
