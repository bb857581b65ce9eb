import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Behaviour, Reply } from './behaviour.js';
import { type Refusing, replyOf } from './refusing.js';

const gzipAsync = promisify(gzip);

export const REFUSED_IN_A_ROW = 2;

/**
 * A limit of requests, or of calls, as a client meets it: after so many the next two are refused. By count, not by the clock:
 * how fast questions come must not depend on the machine.
 */
export function rateLimit(
  most: number,
  refusing: Refusing,
  counts: 'requests' | 'calls' = 'requests',
): Behaviour['rule'] {
  return (node) => {
    let taken = 0;
    let refused = 0;
    return {
      onRequest: (request): Reply | null => {
        if (taken < most) {
          taken += counts === 'calls' ? request.calls.length : 1;
          return null;
        }
        if (++refused === REFUSED_IN_A_ROW) [taken, refused] = [0, 0];
        node.struck();
        return replyOf(request, refusing);
      },
    };
  };
}

export function slow(leastMs: number, mostMs: number): Behaviour['rule'] {
  return (node) => ({
    onRequest: async () => {
      node.struck();
      await delay(node.random.between(leastMs, mostMs));
      return null;
    },
  });
}

/** Every answer is compressed, whether that was asked for or not. */
export function compressed(): Behaviour['rule'] {
  return (node) => ({
    onText: async (text): Promise<Reply> => {
      node.struck();
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
      return { status: 200, headers, body: await gzipAsync(text) };
    },
  });
}

export function closesConnections(): Behaviour['rule'] {
  return (node) => ({
    onText: (text): Reply => {
      node.struck();
      return { status: 200, headers: { 'content-type': 'application/json', connection: 'close' }, body: text };
    },
  });
}

/** Answers of several blocks end in the middle of their JSON, with a proper end of the HTTP answer. */
export function truncates(above: number): Behaviour['rule'] {
  return (node) => ({
    onText: (text, { calls }): Reply | null => {
      if (text.length <= above || calls.length === 1) return null;
      node.struck();
      return { status: 200, headers: { 'content-type': 'application/json' }, body: text.slice(0, above) };
    },
  });
}
