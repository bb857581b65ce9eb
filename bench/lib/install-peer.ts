import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Puts a folder of bench/peers with its pinned packages into .cache/bench-peers, once a version; where it is. */
export async function installPeer(name: string): Promise<string> {
  const source = join('bench/peers', name);
  const target = join('.cache/bench-peers', name);
  const wanted = await readFile(join(source, 'package.json'), 'utf8');
  const stamp = join(target, '.installed');
  await mkdir(target, { recursive: true });
  await cp(source, target, { recursive: true });
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === wanted) return target;
  await rm(join(target, 'node_modules'), { recursive: true, force: true });
  await run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: target, maxBuffer: 64 << 20 });
  await writeFile(stamp, wanted);
  return target;
}
