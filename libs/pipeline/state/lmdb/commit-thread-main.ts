import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { CommitFiles } from './commit-files.js';
import type { CommitAnswers, CommitReply, CommitRequest, CommitThreadInput } from './commit-thread.js';
import { CommitWriter } from './commit-writer.js';
import { Merger } from './merger.js';
import { StateEnv, stateFailure } from './state-env.js';

/** Where processors are few, the thread that applies blocks goes first. */
const NICENESS = 5;

/** Entry of the commit thread: answers one request after the other, and merges between them. */
const { dir, spaces, undoBytes } = workerData as CommitThreadInput;
// On Linux this is of the calling thread alone.
if (process.platform === 'linux') setPriority(0, NICENESS);
const env = new StateEnv(dir, spaces);
const files = new CommitFiles(dir);
const writer = new CommitWriter(env, files, undoBytes);
const merger = new Merger(dir, env, files, (error) => {
  const merged = error === null ? null : stated(error);
  parentPort!.postMessage({ merged } satisfies CommitReply);
});

const buffers = (records: Uint8Array[]): Buffer[] =>
  records.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));

async function answer(request: CommitRequest): Promise<CommitAnswers[CommitRequest['kind']]> {
  switch (request.kind) {
    case 'commit': {
      const { position, rotate } = request;
      const made = writer.commit({
        values: buffers(request.values),
        before: buffers(request.before),
        position,
        rotate,
      });
      if (rotate) merger.start();
      return made;
    }
    case 'merge':
      merger.start();
      return null;
    case 'rewind':
      await merger.stop();
      return writer.rewind(request.to);
    case 'load':
      writer.load(buffers(request.records), request.position);
      return null;
    case 'close':
      await merger.stop();
      files.close();
      await env.close();
      return null;
  }
}

parentPort!.on('message', async (request: CommitRequest) => {
  let reply: CommitReply;
  try {
    reply = { result: await answer(request) };
  } catch (error) {
    reply = { error: stated(error) };
  }
  parentPort!.postMessage(reply);
  if (request.kind === 'close') parentPort!.close();
});

function stated(error: unknown): { code: string; message: string } {
  const { code, message } = stateFailure(dir, error);
  return { code, message };
}
