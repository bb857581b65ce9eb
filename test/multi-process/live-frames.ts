import { once } from 'node:events';
import WebSocket from 'ws';
import { until } from '#libs/devkit/testing/until.js';

export interface Frame {
  readonly type: string;
  readonly epoch?: number;
  readonly seq?: number;
  readonly resumed?: boolean;
  readonly data?: { id: string }[];
}

/** A socket of an api with one subscription, whose frames are taken by type, in order. */
export async function subscribed(url: string, key: string, parameters: object) {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws`, { headers: { 'x-api-key': key } });
  const frames: Frame[] = [];
  let taken = 0;
  socket.on('message', (text) => frames.push(JSON.parse(String(text)) as Frame));
  await once(socket, 'open');
  socket.send(JSON.stringify({ op: 'subscribe', id: 'one', ...parameters }));
  return {
    async next(type: string): Promise<Frame> {
      let found: Frame | undefined;
      await until(`a frame ${type}`, () => {
        while (found === undefined && taken < frames.length) {
          const frame = frames[taken++]!;
          if (frame.type === 'error') throw new Error(JSON.stringify(frame));
          if (frame.type === type) found = frame;
        }
        return found !== undefined;
      });
      return found!;
    },
    close: () => socket.terminate(),
  };
}
