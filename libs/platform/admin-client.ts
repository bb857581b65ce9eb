import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { TidepoolError } from '#libs/core/errors.js';
import type { AdminMessage, AdminRequest, OperationIo } from './admin-protocol.js';
import { adminSocketPath } from './admin-socket.js';

/** A connection to the instance that runs on this data folder, or null when none does. */
export function connectAdmin(dataDir: string): Promise<AdminConnection | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(adminSocketPath(dataDir));
    socket.once('connect', () => resolve(new AdminConnection(socket)));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(null);
      else if (error.code === 'EACCES') {
        reject(
          new TidepoolError(
            'admin_refused',
            `the instance on ${dataDir} belongs to another user; run the command as that user`,
          ),
        );
      } else reject(error);
    });
  });
}

/** One operation of a running instance. */
export class AdminConnection {
  constructor(private readonly socket: Socket) {}

  async call(operation: string, args: Record<string, unknown>, io: OperationIo): Promise<unknown> {
    const request: AdminRequest = { version: 1, operation, args };
    const stop = (): void => void this.socket.destroy();
    io.signal.addEventListener('abort', stop, { once: true });
    let failure: Error | null = null;
    this.socket.on('error', (error) => {
      failure = error;
    });
    const lines = createInterface({ input: this.socket, crlfDelay: Number.POSITIVE_INFINITY });
    // A destroyed socket closes without an end, which readline alone would wait for.
    this.socket.once('close', () => lines.close());
    try {
      this.socket.write(`${JSON.stringify(request)}\n`);
      for await (const line of lines) {
        const message = JSON.parse(line) as AdminMessage;
        if ('progress' in message) io.progress(message.progress);
        else if ('line' in message) await io.line(message.line);
        else if ('error' in message) throw new TidepoolError(message.error.code, message.error.message);
        else return message.result;
      }
    } finally {
      io.signal.removeEventListener('abort', stop);
      this.socket.destroy();
    }
    if (io.signal.aborted) throw new TidepoolError('cancelled', 'cancelled');
    throw new TidepoolError(
      'admin_lost',
      'the running instance ended before it answered; look at its log, then try again',
      {
        cause: failure,
      },
    );
  }

  close(): void {
    this.socket.destroy();
  }
}
