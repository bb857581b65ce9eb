import { parentPort, workerData } from 'node:worker_threads';
import type { CommitAnswers, CommitReply, CommitRequest, CommitThreadInput } from './commit-thread.js';
import { CommitWriter } from './commit-writer.js';
import { StateEnv, stateFailure } from './state-env.js';

/** Entry of the commit thread: answers one request after the other. */
const { dir, spaces, undoBytes } = workerData as CommitThreadInput;
const env = new StateEnv(dir, spaces);
const writer = new CommitWriter(env, undoBytes);

const buffers = (records: Uint8Array[]): Buffer[] =>
  records.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));

async function answer(request: CommitRequest): Promise<CommitAnswers[CommitRequest['kind']]> {
  switch (request.kind) {
    case 'commit':
      return writer.commit(buffers(request.records), request.position);
    case 'rewind':
      return writer.rewind(request.to);
    case 'load':
      writer.load(buffers(request.records), request.position);
      return null;
    case 'close':
      await env.close();
      return null;
  }
}

parentPort!.on('message', async (request: CommitRequest) => {
  let reply: CommitReply;
  try {
    reply = { result: await answer(request) };
  } catch (error) {
    const { code, message } = stateFailure(dir, error);
    reply = { error: { code, message } };
  }
  parentPort!.postMessage(reply);
  if (request.kind === 'close') parentPort!.close();
});
