import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Arguments of a Node process that runs a TypeScript file of this folder. */
export function childArguments(file: string): string[] {
  const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  return ['--import', path('./run-typescript.mjs'), path(`./${file}`)];
}

export async function nextLine(lines: Interface): Promise<string> {
  const ended = once(lines, 'close').then(() => null);
  const line = await Promise.race([once(lines, 'line').then(([text]) => text as string), ended]);
  if (line === null) throw new Error('the child process ended before it answered');
  return line;
}

export async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill(signal);
  await closed;
}
