import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/**
 * The client's end of a WebSocket as bare bytes: the handshake, text messages out, and what comes in as it was read. All sockets of
 * a process read into one buffer, so that many of them cost little compared with the server that is measured.
 * Invariant: bytes that are handed on are valid until their handler returns.
 */
const READ_INTO = Buffer.allocUnsafe(256 * 1024);

export class RawSocket {
  /** Called with whatever was read. */
  onBytes: (bytes: Buffer) => void = () => undefined;
  private readonly socket: Socket;

  private constructor(port: number) {
    const callback = (count: number): boolean => {
      this.onBytes(READ_INTO.subarray(0, count));
      return true;
    };
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer: READ_INTO, callback } });
    this.socket.once('close', () => {
      console.error('the server ended a connection: the run says nothing without it');
      process.exit(1);
    });
  }

  /** Connected, and the handshake made. */
  static async open({ port, path, key }: { port: number; path: string; key: string }): Promise<RawSocket> {
    const raw = new RawSocket(port);
    await once(raw.socket, 'connect');
    const head = [
      `GET ${path} HTTP/1.1`,
      'host: bench',
      'connection: Upgrade',
      'upgrade: websocket',
      `x-api-key: ${key}`,
      'sec-websocket-version: 13',
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    ];
    const upgraded = raw.until('101 Switching Protocols');
    raw.socket.write([...head, '', ''].join('\r\n'));
    await upgraded;
    return raw;
  }

  send(text: string): void {
    this.socket.write(masked(text));
  }

  /** Reads on until a text has come; nothing may follow it before the caller listens. */
  until(wanted: string): Promise<void> {
    let text = '';
    return new Promise((done) => {
      this.onBytes = (bytes) => {
        text += bytes.toString('latin1');
        if (!text.includes(wanted)) return;
        this.onBytes = () => undefined;
        done();
      };
    });
  }
}

/** One text message. A mask of zeros leaves the bytes as they are. */
function masked(text: string): Buffer {
  const body = Buffer.from(text);
  const short = body.length < 126;
  const head = Buffer.alloc(short ? 6 : 8);
  head[0] = 0x81;
  head[1] = 0x80 | (short ? body.length : 126);
  if (!short) head.writeUInt16BE(body.length, 2);
  return Buffer.concat([head, body]);
}
