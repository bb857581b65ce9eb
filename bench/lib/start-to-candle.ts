import { once } from 'node:events';
import { WebSocket } from 'ws';
import { LAUNCHER, startProgram } from './live-program.js';

/** From the start of the process behind `npm start` to the first candle at a socket. */
export interface StartToCandle {
  listeningMs: number;
  candleMs: number;
}

const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const RETRY_MS = 25;

export async function startToCandle(dataDir: string): Promise<StartToCandle> {
  const program = await startProgram({ script: LAUNCHER, dataDir });
  try {
    const socket = new WebSocket(program.sockets, { headers: { 'x-api-key': program.key } });
    await once(socket, 'open');
    const subscribe = () =>
      socket.send(JSON.stringify({ op: 'subscribe', id: 1, channel: 'candles', chain: 'eth', token: WETH }));
    const candleMs = await new Promise<number>((done, failed) => {
      socket.on('message', (data) => {
        const at = performance.now() - program.startedAt;
        const frame = JSON.parse(String(data)) as { type: string; data?: unknown[] };
        // Until the chain can be served, and its first trades are there, a subscription is refused or empty.
        if (frame.type === 'error') setTimeout(subscribe, RETRY_MS);
        else if ((frame.data?.length ?? 0) > 0) done(at);
      });
      socket.once('close', () => failed(new Error('the socket was closed')));
      subscribe();
    });
    socket.terminate();
    return { listeningMs: program.listeningMs, candleMs };
  } finally {
    await program.stop();
  }
}
