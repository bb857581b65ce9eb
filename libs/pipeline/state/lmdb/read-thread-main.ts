import { parentPort, workerData } from 'node:worker_threads';
import type { Hex } from '#libs/core/ids.js';
import type { ReadReply, ReadRequest, ReadThreadInput } from './read-thread.js';
import { readValue, StateEnv, stateFailure } from './state-env.js';

/** Entry of the read thread: its threads bring the pages of all keys from disk, then it copies their values. */
const { dir, spaces } = workerData as ReadThreadInput;
const env = new StateEnv(dir, spaces);
const underWay = new Set<Promise<unknown>>();
const FIRST_BYTES = 64 * 1024;

async function read(space: number, keys: readonly Hex[]): Promise<Uint8Array> {
  await env.bringIntoMemory(space, [...keys]);
  // What was committed before the request is seen.
  env.refresh();
  let target = Buffer.allocUnsafeSlow(FIRST_BYTES);
  let at = 0;
  for (const key of keys) {
    const value = readValue(env.values[space]!, key);
    const end = at + 4 + (value?.length ?? 0);
    if (end > target.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, target.length * 2));
      target.copy(larger, 0, 0, at);
      target = larger;
    }
    target.writeUInt32LE(value === null ? 0 : value.length + 1, at);
    if (value !== null) target.set(value, at + 4);
    at = end;
  }
  return target.subarray(0, at);
}

parentPort!.on('message', async (request: ReadRequest) => {
  const { id } = request;
  if ('kind' in request) {
    await Promise.allSettled(underWay);
    await env.close();
    parentPort!.postMessage({ id, values: new Uint8Array() } satisfies ReadReply);
    parentPort!.close();
    return;
  }
  const reading = read(request.space, request.keys);
  underWay.add(reading);
  try {
    const values = await reading;
    parentPort!.postMessage({ id, values } satisfies ReadReply, [values.buffer as ArrayBuffer]);
  } catch (error) {
    const { code, message } = stateFailure(dir, error);
    parentPort!.postMessage({ id, error: { code, message } } satisfies ReadReply);
  } finally {
    underWay.delete(reading);
  }
});
