import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { ByteChunks } from '#libs/core/byte-chunks.js';

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

export type Encoding = 'br' | 'gzip';

/** Below this a compressed body saves no packet. */
const WORTH_COMPRESSING = 1024;

/**
 * A body that is ready to be sent, any number of times: the bytes are made once, each compressed form at most once.
 * `etag` is weak, because the forms differ in bytes and not in meaning.
 */
export class Answer {
  /** Of the body, in bytes. */
  readonly length: number;
  private encoded: Map<Encoding, Promise<Buffer>> | null = null;

  constructor(
    /** Text is for an answer that is sent once: head and body then leave in one write. So do parts, which are not joined for it. */
    readonly body: Buffer | string | ByteChunks,
    readonly contentType: string,
    readonly etag: string | null = null,
    readonly headers: Readonly<Record<string, string>> = {},
    readonly status: number = 200,
    /** False for an answer that is sent once and has to be quick: compressing a few packets costs more than it saves. */
    private readonly compressible: boolean = true,
  ) {
    this.length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  }

  /** A small JSON document whose tag is made from its bytes. */
  static json(value: unknown): Answer {
    const body = Buffer.from(JSON.stringify(value), 'utf8');
    return new Answer(body, JSON_TYPE, etagOf(body));
  }

  /** A JSON document that is another one a moment later. */
  static untagged(value: unknown, status = 200): Answer {
    return new Answer(Buffer.from(JSON.stringify(value), 'utf8'), JSON_TYPE, null, {}, status);
  }

  get worthCompressing(): boolean {
    return this.compressible && this.length >= WORTH_COMPRESSING;
  }

  encode(encoding: Encoding): Promise<Buffer> {
    this.encoded ??= new Map();
    let bytes = this.encoded.get(encoding);
    if (bytes === undefined) {
      const body = this.body instanceof ByteChunks ? this.body.joined() : this.body;
      bytes =
        encoding === 'br'
          ? brotliAsync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
          : gzipAsync(body, { level: 5 });
      this.encoded.set(encoding, bytes);
    }
    return bytes;
  }
}

export const etagOf = (content: Buffer | string): string =>
  `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;

export const JSON_TYPE = 'application/json; charset=utf-8';

/** The form to send for an `Accept-Encoding`, or null for the plain one. `q=0` forbids a form. */
export function chooseEncoding(accept: string | undefined): Encoding | null {
  if (accept === undefined || accept === '') return null;
  const weights = new Map<string, number>();
  for (const part of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = part.split(';').map((piece) => piece.trim());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    const weight = q === undefined ? 1 : Number(q.slice(2));
    if (name) weights.set(name, Number.isFinite(weight) ? weight : 0);
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const [br, gz] = [weightOf('br'), weightOf('gzip')];
  if (br <= 0 && gz <= 0) return null;
  return br >= gz ? 'br' : 'gzip';
}

/** Whether an `If-None-Match` names this tag (weak comparison, as GET and HEAD use). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const plain = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((tag) => plain(tag) === plain(etag));
}
