import { setMaxListeners } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { ByteChunks } from '#libs/core/byte-chunks.js';

export interface Post {
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body: string;
  /** For all of it, from now on. */
  readonly timeoutMs: number;
  readonly mostBytes: number;
  /** What is thrown for a body that is larger. */
  tooLarge(): Error;
}

export interface Posted {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: ByteChunks;
}

/**
 * One POST with its whole answer, taken as the dispatcher hands it over: a stream for each answer, and signals that are put together,
 * cost more than the exchange itself. Invariant: it ends once, by the answer, by its time or by the signal, and frees its
 * connection then.
 */
export function postBytes(dispatcher: Dispatcher, post: Post, signal?: AbortSignal): Promise<Posted> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let ended: Error | null = null;
    let head: Pick<Posted, 'status' | 'headers'> | null = null;
    const chunks: Buffer[] = [];
    let bytes = 0;

    const finish = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const fail = (error: Error): void => {
      if (ended !== null) return;
      ended = error;
      finish();
      controller?.abort(error);
      reject(error);
    };
    const onAbort = (): void => fail(signal!.reason as Error);
    const timer = setTimeout(() => fail(new Error('timeout: no whole answer in time')), post.timeoutMs);
    if (signal?.aborted) {
      onAbort();
      return;
    }
    if (signal !== undefined) {
      // As many as there are posts on their way; each takes its own away.
      setMaxListeners(Number.POSITIVE_INFINITY, signal);
      signal.addEventListener('abort', onAbort);
    }

    const { url, headers, body, timeoutMs } = post;
    dispatcher.dispatch(
      {
        ...{ origin: url.origin, path: `${url.pathname}${url.search}`, method: 'POST', headers, body },
        ...{ headersTimeout: timeoutMs, bodyTimeout: timeoutMs },
      },
      {
        onRequestStart(own) {
          controller = own;
          if (ended !== null) own.abort(ended);
        },
        onResponseStart(_, status, given) {
          if (status >= 200) head = { status, headers: given };
        },
        onResponseData(_, chunk) {
          bytes += chunk.length;
          if (bytes > post.mostBytes) fail(post.tooLarge());
          else chunks.push(chunk);
        },
        onResponseEnd() {
          if (ended !== null || head === null) return;
          finish();
          resolve({ ...head, body: new ByteChunks(chunks) });
        },
        onResponseError(_, error) {
          fail(error);
        },
      },
    );
  });
}
