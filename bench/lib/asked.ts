import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { endWithUs } from './no-orphans.js';

/** Parts of a benchmark that are processes of their own: started, asked, ended. */
export function forked(file: string, args: readonly string[], more: readonly string[] = []): ChildProcess {
  const child = fork(join(import.meta.dirname, file), args, {
    execArgv: [...process.execArgv, ...more],
    env: { UV_THREADPOOL_SIZE: '16', ...process.env },
  });
  endWithUs(child);
  return child;
}

/** Sends and waits for the answer. */
export function asked<From extends { kind: string }, Kind extends From['kind']>(
  child: ChildProcess,
  question: object,
  kind: Kind,
): Promise<Extract<From, { kind: Kind }>> {
  const answer = message<From, Kind>(child, kind);
  child.send(question);
  return answer;
}

/** The next message of a kind, or the failure of the process. */
export function message<From extends { kind: string }, Kind extends From['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<From, { kind: Kind }>> {
  return new Promise((done, failed) => {
    const onExit = (code: number | null): void => failed(new Error(`a process of the benchmark ended with ${code}`));
    child.once('exit', onExit);
    const onMessage = (received: From): void => {
      if (received.kind !== kind) return;
      child.off('message', onMessage);
      child.off('exit', onExit);
      done(received as Extract<From, { kind: Kind }>);
    };
    child.on('message', onMessage);
  });
}

export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
