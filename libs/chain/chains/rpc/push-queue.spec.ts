import { PushQueue } from './push-queue.js';

const never = new AbortController().signal;

async function take(queue: PushQueue<number>, count: number, signal = never): Promise<number[]> {
  const taken: number[] = [];
  for await (const item of queue.read(signal)) {
    taken.push(item);
    if (taken.length === count) break;
  }
  return taken;
}

describe('PushQueue', () => {
  it('gives what was pushed before and while it is read, in order', async () => {
    const queue = new PushQueue<number>(10, -1);
    queue.push(1);
    const taken = take(queue, 4);
    for (const item of [2, 3]) queue.push(item);
    setTimeout(() => queue.push(4), 5);
    expect(await taken).toEqual([1, 2, 3, 4]);
  });

  it('says once that it dropped, and goes on', async () => {
    const queue = new PushQueue<number>(3, -1);
    for (let item = 1; item <= 9; item++) queue.push(item);
    const taken = take(queue, 5);
    setTimeout(() => queue.push(10), 5);
    expect(await taken).toEqual([1, 2, 3, -1, 10]);
  });

  it('ends with its signal, and when it is ended', async () => {
    const abort = new AbortController();
    const aborted = take(new PushQueue<number>(3, -1), 5, abort.signal);
    abort.abort();
    expect(await aborted).toEqual([]);
    const queue = new PushQueue<number>(3, -1);
    const ended = take(queue, 5);
    queue.end();
    expect(await ended).toEqual([]);
  });
});
