// npm start: installs and builds what is missing, then runs every app in one process in the foreground.
// Signals are passed on, the exit code is kept. When this launcher is killed, the program notices (the channel closes)
// and stops in order, so that nothing is left running.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { buildIfNeeded, installIfNeeded, PROJECT, signalNumber } from './lib/prepare.mjs';

try {
  await installIfNeeded();
  await buildIfNeeded();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}

const program = join(PROJECT, 'dist/apps/all-in-one/src/main.js');
const child = spawn(process.execPath, ['--max-semi-space-size=32', program, ...process.argv.slice(2)], {
  cwd: process.cwd(),
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  // Read once, when the process starts: the store runs its queries on these threads.
  env: { UV_THREADPOOL_SIZE: '16', ...process.env },
});

let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    stopping = true;
    child.kill(signal);
  });
}

// npm started us: when it is killed, the program must not live on by itself.
if (process.env.npm_lifecycle_event) {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid === parent || stopping) return;
    stopping = true; // once: a second signal would end the program without its order
    child.kill('SIGTERM');
  }, 1_000).unref();
}

child.once('error', (error) => {
  console.error(`the program cannot be started: ${error.message}`);
  process.exit(1);
});
child.once('exit', (code, signal) => process.exit(code ?? 128 + signalNumber(signal)));
