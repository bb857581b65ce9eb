import { once } from 'node:events';
import { io } from 'socket.io-client';
import WebSocket from 'ws';
import type { Process } from './six-processes.js';

/** An open live connection that is charged by the minute. */
export interface OpenStream {
  readonly kind: StreamKind;
  /** It was opened between the two. */
  readonly before: number;
  /** How it ended, once it has: the code of a socket or of the event `end`, the last words of an event stream. */
  readonly ended: Promise<string>;
  close(): void;
}

export const streamKinds = ['socket', 'socket of the api', 'events', 'socket.io'] as const;
export type StreamKind = (typeof streamKinds)[number];

/** Opens one, subscribed to the trades of a token; its snapshot has come when this answers. */
export async function openLive(kind: StreamKind, { urls }: Process, key: string, token: string): Promise<OpenStream> {
  const before = Date.now();
  const wanted = { channel: 'trades', chain: 'eth', token };
  if (kind === 'events') {
    const end = new AbortController();
    const answer = await fetch(`${urls.api}/stream/trades?chain=eth&token=${token}&apiKey=${key}`, {
      signal: end.signal,
    });
    if (!answer.ok) throw new Error(`the event stream answers ${answer.status}: ${await answer.text()}`);
    return { kind, before, ended: lastEvent(answer), close: () => end.abort() };
  }
  if (kind === 'socket.io') {
    const client = io(`${urls.api}/live`, {
      ...{ transports: ['websocket'], reconnection: false, extraHeaders: { 'x-api-key': key } },
    });
    let code: string | null = null;
    client.once('end', (end: { code: number }) => {
      code = String(end.code);
    });
    const ended = new Promise<string>((done) => client.once('disconnect', (reason) => done(code ?? reason)));
    const first = new Promise((done, fail) => {
      client.once('frame', done);
      client.once('connect_error', fail);
    });
    client.emit('subscribe', wanted);
    await first;
    return { kind, before, ended, close: () => client.disconnect() };
  }
  const door = kind === 'socket' ? `${urls.ws}/` : `${urls.api}/ws`;
  const socket = new WebSocket(`${door.replace(/^http/, 'ws')}?apiKey=${key}`);
  const ended = once(socket, 'close').then(([code]) => String(code));
  await once(socket, 'open');
  const first = once(socket, 'message');
  socket.send(JSON.stringify({ op: 'subscribe', ...wanted }));
  await first;
  return { kind, before, ended, close: () => socket.close() };
}

/** Reads an event stream to its end: the data of the last event. */
async function lastEvent(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of answer.body!) text = (text + decoder.decode(bytes, { stream: true })).slice(-2_000);
  } catch {
    return 'closed by us';
  }
  return text.split('data: ').at(-1)!.trim();
}
