import WebSocket from 'ws';
import { redact } from '../rpc/rpc-error.js';

/** What a subscription over a socket came to. */
export interface SocketSeen {
  readonly confirmed: boolean;
  /** Whether news came before the time was over. */
  readonly news: boolean;
  /** Why not confirmed, in the node's words. */
  readonly refused: string | null;
}

/**
 * Asks for one subscription and waits for its first news, until `enough`: then a confirmation will do. Never throws: what fails is what
 * was seen.
 */
export function probeSocket(
  url: string,
  question: { method: string; params: readonly unknown[] },
  waitMs: number,
  { signal, enough }: { signal: AbortSignal; enough: AbortSignal },
): Promise<SocketSeen> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, { handshakeTimeout: Math.min(10_000, waitMs), maxPayload: 256 * 1024 * 1024 });
    let confirmed = false;
    const end = (news: boolean, refused: string | null): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', aborted);
      enough.removeEventListener('abort', settle);
      socket.removeAllListeners();
      // An error may still come while the handshake is cut off.
      socket.on('error', () => undefined);
      socket.terminate();
      resolve({ confirmed, news, refused: refused === null ? null : redact(refused, url) });
    };
    const aborted = (): void => end(false, 'cancelled');
    const settle = (): void => {
      if (confirmed && enough.aborted) end(false, null);
    };
    const timer = setTimeout(
      () => end(false, confirmed ? null : `no answer in ${Math.round(waitMs / 1000)} s`),
      waitMs,
    );
    signal.addEventListener('abort', aborted);
    enough.addEventListener('abort', settle);
    socket.on('open', () => socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, ...question })));
    socket.on('error', ({ message }) => end(false, message));
    socket.on('close', (code) => end(false, `the connection ended with ${code}`));
    socket.on('message', (body: Buffer) => {
      const message = parsed(body);
      if (message === null) return end(false, 'a message that is no JSON');
      if (message.id === 1) {
        if (message.error !== undefined) return end(false, sentenceOf(message.error));
        confirmed = message.result !== undefined;
        settle();
      } else if (message.params !== undefined) end(confirmed, confirmed ? null : 'news without a confirmation');
    });
  });
}

function parsed(body: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const sentenceOf = (error: unknown): string => String((error as { message?: unknown } | null)?.message ?? error);
