import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, unlink } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { TidepoolError } from '#libs/core/errors.js';
import type { AdminMessage, AdminRequest, OperationIo, Operations } from './admin-protocol.js';
import type { Logger } from './logger.js';

/** A socket's path may have 107 bytes; a deeper data folder gets one in the system's temporary folder, named after it. */
export function adminSocketPath(dataDir: string): string {
  const path = join(resolve(dataDir), 'admin.sock');
  if (Buffer.byteLength(path) <= 100) return path;
  const name = createHash('sha256').update(path).digest('hex').slice(0, 24);
  return join(tmpdir(), `tidepool-${name}.sock`);
}

export interface AdminSocket {
  readonly path: string;
  close(): Promise<void>;
}

export interface AdminSocketOptions {
  dataDir: string;
  operations: Operations;
  logger: Logger;
  /** Removes credentials from the words of an error. */
  redact?: (text: string) => string;
}

const MAX_REQUEST_BYTES = 1024 * 1024;

/**
 * Serves the operations of this instance. The caller holds the lock of the data folder, so a socket file that is already
 * there is left over and removed. Only this user may connect (mode 0600).
 */
export async function serveAdminSocket(options: AdminSocketOptions): Promise<AdminSocket> {
  const path = adminSocketPath(options.dataDir);
  await unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serve(options, socket);
  });
  server.listen(path);
  await once(server, 'listening');
  await chmod(path, 0o600);
  return {
    path,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function serve(options: AdminSocketOptions, socket: Socket): void {
  const abort = new AbortController();
  let received = 0;
  socket.on('data', (chunk) => {
    received += chunk.length;
    if (received > MAX_REQUEST_BYTES) socket.destroy();
  });
  socket.on('close', () => abort.abort());
  socket.on('error', (error) => options.logger.debug({ err: error }, 'admin connection ended'));
  const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY });
  socket.once('close', () => lines.close());
  lines.once('line', (line) => {
    run(options, line, socket, abort.signal)
      .then((message) => socket.end(`${JSON.stringify(message)}\n`))
      .catch((error: unknown) => options.logger.error({ err: error }, 'an admin answer could not be written'));
  });
}

async function run(
  options: AdminSocketOptions,
  line: string,
  socket: Socket,
  signal: AbortSignal,
): Promise<AdminMessage> {
  const redact = options.redact ?? ((text: string) => text);
  try {
    const request = parseRequest(line);
    const operation = Object.hasOwn(options.operations, request.operation)
      ? options.operations[request.operation]
      : undefined;
    if (!operation) {
      const known = Object.keys(options.operations).join(', ');
      throw new TidepoolError(
        'unknown_operation',
        `this instance has no operation ${request.operation}; it has ${known}`,
      );
    }
    options.logger.debug({ operation: request.operation }, 'admin operation');
    const result = await operation(request.args, ioOf(socket, signal));
    return { result: result ?? null };
  } catch (error) {
    const code = error instanceof TidepoolError ? error.code : 'internal';
    if (code === 'internal') options.logger.error({ err: error }, 'an admin operation failed');
    return { error: { code, message: redact(error instanceof Error ? error.message : String(error)) } };
  }
}

function parseRequest(line: string): AdminRequest {
  let request: Partial<AdminRequest> | null = null;
  try {
    request = JSON.parse(line) as Partial<AdminRequest>;
  } catch {
    // answered below together with every other malformed request
  }
  if (
    request?.version !== 1 ||
    typeof request.operation !== 'string' ||
    typeof request.args !== 'object' ||
    !request.args
  ) {
    throw new TidepoolError(
      'bad_request',
      'expected one line {"version":1,"operation":"…","args":{…}}: use the command of the same version',
    );
  }
  return request as AdminRequest;
}

function ioOf(socket: Socket, signal: AbortSignal): OperationIo {
  const send = (message: AdminMessage): boolean => socket.writable && socket.write(`${JSON.stringify(message)}\n`);
  return {
    signal,
    progress: (progress) => void send({ progress }),
    line: async (text) => {
      if (send({ line: text }) || !socket.writable) return;
      await new Promise<void>((resolve) => {
        const done = (): void => {
          socket.off('drain', done);
          socket.off('close', done);
          resolve();
        };
        socket.once('drain', done);
        socket.once('close', done);
      });
    },
  };
}
