import { timingSafeEqual } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Session } from 'chdb';

/**
 * A server process for tests: ClickHouse over HTTP, each request in a fresh chDB session, so that settings and
 * parameters of one request never reach another. Ends when its standard input closes, that is with its parent.
 */
const dir = process.env.ENDPOINT_DIR!;
const credentials = `${process.env.ENDPOINT_USER}:${process.env.ENDPOINT_PASSWORD}`;
const insertFolder = join(dir, 'endpoint-inserts');

/** Parameters of the HTTP interface itself; all others are settings of the query. */
const OF_THE_INTERFACE = new Set([
  ...['query', 'query_id', 'database', 'default_format', 'session_id', 'session_timeout', 'session_check', 'role'],
  ...['user', 'password', 'compress', 'decompress', 'enable_http_compression', 'wait_end_of_query', 'buffer_size'],
  ...['send_progress_in_http_headers', 'http_headers_progress_interval_ms', 'client_protocol_version'],
]);

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array | string;
}

const quoted = (text: string) => `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;

let requests = 0;

async function answer(request: IncomingMessage): Promise<Answer> {
  const url = new URL(request.url!, 'http://localhost');
  if (url.pathname === '/ping') return { status: 200, headers: {}, body: 'Ok.\n' };
  if (!authorized(request)) {
    return failure(516, 403, 'default: Authentication failed: password is incorrect, or there is no such user.');
  }
  const body = await bodyOf(request);
  const parts = await partsOf(request, body);
  for (const [name, value] of parts ?? []) url.searchParams.append(name, value);
  const inQuery = url.searchParams.get('query');
  const sql = inQuery ?? body.toString('utf8');
  const data = inQuery === null || parts !== null ? Buffer.alloc(0) : body;
  const session = new Session(dir);
  try {
    const settings = settingsOf(url.searchParams);
    if (/^\s*INSERT\b/i.test(sql) && / FORMAT \w+\s*$/.test(sql)) return await insert(session, sql, data, settings);
    return await select(session, sql, settings, url.searchParams.get('default_format') ?? 'TabSeparated');
  } catch (error) {
    const message = (error as Error).message;
    const code = Number(/Code: (\d+)/.exec(message)?.[1] ?? 1002);
    return failure(code, code === 60 || code === 81 ? 404 : code === 62 ? 400 : 500, message);
  } finally {
    session.close();
  }
}

/** The query and its parameters may be fields of a form; null where they are not. */
async function partsOf(request: IncomingMessage, body: Buffer): Promise<[string, string][] | null> {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data')) return null;
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  return [...form].map(([name, value]) => [name, String(value)]);
}

async function select(session: Session, sql: string, settings: string, defaultFormat: string): Promise<Answer> {
  const named = /\bFORMAT\s+(\w+)\s*;?\s*$/i.exec(sql);
  const format = named?.[1] ?? defaultFormat;
  const statement = named === null ? sql : sql.slice(0, named.index);
  const result = await session.queryAsync(settings + statement, { format });
  return { status: 200, headers: { 'X-ClickHouse-Format': format }, body: Buffer.from(result.bytes()) };
}

async function insert(session: Session, sql: string, data: Buffer, settings: string): Promise<Answer> {
  const file = join(insertFolder, `${process.pid}-${++requests}`);
  await writeFile(file, data);
  try {
    await session.queryAsync(settings + fromFile(sql, file));
    return { status: 200, headers: {}, body: '' };
  } finally {
    await rm(file, { force: true });
  }
}

/** The body of the request as the engine in this process takes it. */
function fromFile(sql: string, file: string): string {
  const [, statement, format] = /^(.*) FORMAT (\w+)\s*$/s.exec(sql)!;
  const input = / FROM input\(('(?:[^'\\]|\\.)*')\)/.exec(statement!);
  if (input === null) return `${statement} FROM INFILE ${quoted(file)} FORMAT ${format}`;
  return statement!.replace(input[0], () => ` FROM file(${quoted(file)}, ${quoted(format!)}, ${input[1]})`);
}

function settingsOf(parameters: URLSearchParams): string {
  const sets = [...parameters]
    .filter(([name]) => !OF_THE_INTERFACE.has(name))
    .map(([name, value]) => `${name} = ${quoted(value)}`);
  return sets.length === 0 ? '' : `SET ${sets.join(', ')}; `;
}

function authorized(request: IncomingMessage): boolean {
  const [scheme, given] = (request.headers.authorization ?? '').split(' ');
  const basic = scheme === 'Basic' ? Buffer.from(given ?? '', 'base64') : Buffer.alloc(0);
  const expected = Buffer.from(credentials);
  return basic.length === expected.length && timingSafeEqual(basic, expected);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function failure(code: number, status: number, message: string): Answer {
  const text = message.startsWith('Code:') ? message : `Code: ${code}. DB::Exception: ${message} (UNKNOWN)`;
  return { status, headers: { 'X-ClickHouse-Exception-Code': String(code) }, body: `${text} (version 26.7.2.1)` };
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, headers, body } = await answer(request);
  response.writeHead(status, { ...headers, 'X-ClickHouse-Server-Display-Name': 'chdb' });
  response.end(body);
}

mkdirSync(insertFolder, { recursive: true });
/** Keeps the engine and its tables loaded between requests. */
const keeper = new Session(dir);
await keeper.queryAsync('SELECT 1');
const server = createServer((request, response) => {
  serve(request, response).catch((error) => response.destroy(error as Error));
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
const stop = () => {
  server.close();
  server.closeAllConnections();
  process.exit(0);
};
process.stdin.on('end', stop).resume();
process.on('SIGTERM', stop);
