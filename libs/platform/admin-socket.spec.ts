import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TidepoolError } from '#libs/core/errors.js';
import { connectAdmin } from './admin-client.js';
import type { OperationIo, Operations, Progress } from './admin-protocol.js';
import { type AdminSocket, adminSocketPath, serveAdminSocket } from './admin-socket.js';
import { silentLogger } from './logger.js';

const root = mkdtempSync(join(tmpdir(), 'tidepool-admin-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let aborted: () => void = () => {};
const sawAbort = new Promise<void>((resolve) => {
  aborted = resolve;
});

const operations: Operations = {
  echo: async (args) => args,
  count: async (args, io) => {
    for (let i = 1; i <= Number(args.to); i++) {
      io.progress({ label: 'count', done: i, total: Number(args.to), unit: 'numbers' });
      await io.line(`${'x'.repeat(1_000)} ${i}`);
    }
    return { counted: args.to };
  },
  refuse: async () => {
    throw new TidepoolError('usage', 'no such thing');
  },
  break: async () => {
    throw new Error('https://user:hunter22@host failed');
  },
  wait: async (_, io) => {
    io.progress({ label: 'wait', done: 0, total: null, unit: 'turns' });
    await new Promise<void>((resolve) => io.signal.addEventListener('abort', () => resolve(), { once: true }));
    aborted();
  },
};

function collector(signal = new AbortController().signal): OperationIo & { lines: string[]; shown: Progress[] } {
  const lines: string[] = [];
  const shown: Progress[] = [];
  return { signal, lines, shown, progress: (p) => void shown.push(p), line: async (text) => void lines.push(text) };
}

const serve = (dataDir: string): Promise<AdminSocket> =>
  serveAdminSocket({ dataDir, operations, logger: silentLogger, redact: (text) => text.replace(/:\/\/.*@/, '://') });

describe('a running instance', () => {
  const dataDir = join(root, 'data');
  let socket: AdminSocket;
  beforeAll(async () => {
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'admin.sock'), 'left over by a kill');
    socket = await serve(dataDir);
  });
  afterAll(() => socket.close());

  const call = async (operation: string, args: Record<string, unknown> = {}, io = collector()): Promise<unknown> =>
    (await connectAdmin(dataDir))!.call(operation, args, io);

  it('answers only its own user', () => {
    expect(statSync(socket.path).mode & 0o777).toBe(0o600);
  });

  it('returns results, progress and lines in order', async () => {
    expect(await call('echo', { a: [1, 'ü\n'] })).toEqual({ a: [1, 'ü\n'] });
    const io = collector();
    expect(await call('count', { to: 2_000 }, io)).toEqual({ counted: 2_000 });
    expect(io.lines.map((line) => Number(line.split(' ')[1]))).toEqual(Array.from({ length: 2_000 }, (_, i) => i + 1));
    expect(io.shown.at(-1)).toEqual({ label: 'count', done: 2_000, total: 2_000, unit: 'numbers' });
  });

  it('passes errors on with their code and without credentials', async () => {
    await expect(call('refuse')).rejects.toMatchObject({ code: 'usage', message: 'no such thing' });
    await expect(call('break')).rejects.toMatchObject({ code: 'internal', message: 'https://host failed' });
    await expect(call('nothing')).rejects.toMatchObject({ code: 'unknown_operation' });
    await expect(call('toString')).rejects.toMatchObject({ code: 'unknown_operation' });
  });

  it('tells an operation when its caller is gone', async () => {
    const abort = new AbortController();
    const io = collector(abort.signal);
    io.progress = () => abort.abort();
    await expect(call('wait', {}, io)).rejects.toMatchObject({ code: 'cancelled' });
    await sawAbort;
  });

  it('refuses what is not a request', async () => {
    const answer = await new Promise<string>((resolve) => {
      const raw = connect(adminSocketPath(dataDir), () => raw.write('GET / HTTP/1.1\r\n'));
      let text = '';
      raw.on('data', (chunk) => {
        text += chunk;
      });
      raw.on('close', () => resolve(text));
    });
    expect(JSON.parse(answer).error.code).toBe('bad_request');
  });
});

it('is null when no instance runs', async () => {
  expect(await connectAdmin(join(root, 'nothing-here'))).toBeNull();
});

it('says so when the instance ends before it answers', async () => {
  const dataDir = join(root, 'ending');
  mkdirSync(dataDir);
  const socket = await serve(dataDir);
  const io = collector();
  io.progress = () => void socket.close();
  const connection = await connectAdmin(dataDir);
  await expect(connection!.call('wait', {}, io)).rejects.toMatchObject({ code: 'admin_lost' });
  expect(await connectAdmin(dataDir)).toBeNull();
});

it('works in folders too deep for a socket path', async () => {
  const dataDir = join(root, 'd'.repeat(120));
  mkdirSync(dataDir);
  const socket = await serve(dataDir);
  expect(Buffer.byteLength(socket.path)).toBeLessThan(108);
  expect(await (await connectAdmin(dataDir))!.call('echo', {}, collector())).toEqual({});
  await socket.close();
});
