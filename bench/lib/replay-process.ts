import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { endWithUs } from './no-orphans.js';
import type { FirstRequest, ServedRecording } from './replay-server.js';

/** The replay server as a child process, so that serving and indexing never share an event loop. */
export interface ReplayProcess {
  served: ServedRecording;
  /** Wall time of the indexer's first request. */
  firstRequestAt: Promise<number>;
  stop(): Promise<void>;
}

export async function startReplay(loops: number, missingMethods: readonly string[] = []): Promise<ReplayProcess> {
  const script = fileURLToPath(new URL('./replay-server.js', import.meta.url));
  const args = ['--loops', String(loops), '--missing', missingMethods.join()];
  const child = spawn(process.execPath, ['--max-old-space-size=8192', script, ...args]);
  endWithUs(child);
  child.stderr.pipe(process.stderr);
  const lines = createInterface({ input: child.stdout });
  const next = lineReader(lines, child);
  const served = JSON.parse(await next()) as ServedRecording;
  const firstRequestAt = next().then((line) => (JSON.parse(line) as FirstRequest).firstRequestAt);
  firstRequestAt.catch(() => undefined);
  return {
    served,
    firstRequestAt,
    stop: async () => {
      const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.stdin.end();
      await exited;
    },
  };
}

function lineReader(
  lines: ReturnType<typeof createInterface>,
  child: ChildProcessWithoutNullStreams,
): () => Promise<string> {
  const arrived: string[] = [];
  const waiting: { resolve: (line: string) => void; reject: (error: Error) => void }[] = [];
  lines.on('line', (line) => {
    const reader = waiting.shift();
    if (reader) reader.resolve(line);
    else arrived.push(line);
  });
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`the replay server ended with ${code ?? signal}`));
  });
  return () => {
    const line = arrived.shift();
    return line !== undefined
      ? Promise.resolve(line)
      : new Promise((resolve, reject) => waiting.push({ resolve, reject }));
  };
}
