import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until, within } from '#libs/devkit/testing/until.js';
import { HANDSHAKE, KEY } from './transport-harness.js';

/** Frame types of the protocol. */
export const opcodes = { more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A frame under the mask 0, which leaves its bytes as they are. `says`: the length that its header claims. */
export function rawFrame(opcode: number, payload: Buffer, { last = true, says = payload.length } = {}): Buffer {
  const first = (last ? 0x80 : 0) | opcode;
  const mask = Buffer.alloc(4);
  if (says < 126) return Buffer.concat([Buffer.from([first, 0x80 | says]), mask, payload]);
  const short = says < 65_536;
  const head = Buffer.alloc(short ? 4 : 10);
  head[0] = first;
  head[1] = 0x80 | (short ? 126 : 127);
  if (short) head.writeUInt16BE(says, 2);
  else head.writeBigUInt64BE(BigInt(says), 2);
  return Buffer.concat([head, mask, payload]);
}

/** A TCP connection that was upgraded and from then on sends what a spec gives it; it answers nothing. */
export class RawClient {
  readonly ended: Promise<unknown>;
  private heard = Buffer.alloc(0);

  static async open(url: string): Promise<RawClient> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const client = new RawClient(socket);
    await within('a connection', once(socket, 'connect'));
    const headers = { host: 'localhost', ...HANDSHAKE, 'x-api-key': KEY };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.write(`GET /ws HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    await until('the upgrade', () => client.heard.includes('\r\n\r\n'));
    client.heard = client.heard.subarray(client.heard.indexOf('\r\n\r\n') + 4);
    return client;
  }

  private constructor(readonly socket: Socket) {
    socket.on('data', (bytes: Buffer) => {
      this.heard = Buffer.concat([this.heard, bytes]);
    });
    socket.on('error', () => undefined);
    this.ended = new Promise((done) => void socket.once('close', done));
  }

  write(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  text(message: unknown): void {
    this.write(rawFrame(opcodes.text, Buffer.from(JSON.stringify(message))));
  }

  /** The code of the frame that closed the connection; null when it was cut without one. */
  async code(): Promise<number | null> {
    await within('the end of a connection', this.ended);
    for (let at = 0; at + 4 <= this.heard.length; ) {
      const length = this.heard[at + 1]!;
      if ((this.heard[at]! & 0x0f) === opcodes.close) return this.heard.readUInt16BE(at + 2);
      at += 2 + (length === 126 ? 2 + this.heard.readUInt16BE(at + 2) : length);
    }
    return null;
  }

  end(): void {
    this.socket.destroy();
  }
}
