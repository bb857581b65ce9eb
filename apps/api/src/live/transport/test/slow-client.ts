import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until, within } from '#libs/devkit/testing/until.js';
import { HANDSHAKE, KEY } from './transport-harness.js';

const PAUSE_MS = 4;

/**
 * A TCP connection that speaks as much of the protocol as a subscription needs and then neither answers a ping nor says
 * goodbye. It reads only when the test asks, in small pieces with a pause after each. A socket that does not read does
 * not notice that the other side is gone, so no test may wait for its own `close`.
 */
export class SlowClient {
  bytesRead = 0;
  private reading = false;

  /** Subscribes to a list of the harness's channel and stops reading once the snapshot is there. */
  static async subscribe(url: string, list: string): Promise<SlowClient> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const client = new SlowClient(socket);
    try {
      await client.open(list);
    } catch (error) {
      client.end();
      throw error;
    }
    return client;
  }

  private constructor(private readonly socket: Socket) {
    socket.on('error', () => undefined);
  }

  read(): void {
    this.reading = true;
    this.socket.resume();
  }

  stop(): void {
    this.reading = false;
    this.socket.pause();
  }

  end(): void {
    this.reading = false;
    this.socket.destroy();
  }

  private async open(list: string): Promise<void> {
    const { socket } = this;
    await within('a connection', once(socket, 'connect'));
    const headers = { host: 'localhost', ...HANDSHAKE, 'x-api-key': KEY };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.write(`GET /ws HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    let heard = '';
    const hear = (bytes: Buffer): void => {
      heard += bytes.toString('latin1');
    };
    socket.on('data', hear);
    await until('the upgrade', () => heard.includes('\r\n\r\n'));
    socket.write(masked(JSON.stringify({ op: 'subscribe', id: 's', channel: 'numbers', list })));
    await until('a snapshot', () => heard.includes('"snapshot"'));
    socket.pause();
    socket.off('data', hear);
    // Paused by hand above: a listener does not make it flow again.
    socket.on('data', (bytes: Buffer) => this.take(bytes));
  }

  private take(bytes: Buffer): void {
    this.bytesRead += bytes.length;
    this.socket.pause();
    setTimeout(() => {
      if (this.reading) this.socket.resume();
    }, PAUSE_MS).unref();
  }
}

/** A text frame of fewer than 126 bytes under the mask 0, which leaves its bytes as they are. */
function masked(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 125) throw new RangeError(`a short frame has at most 125 bytes, not ${bytes.length}`);
  return Buffer.concat([Buffer.from([0x81, 0x80 | bytes.length, 0, 0, 0, 0]), bytes]);
}
