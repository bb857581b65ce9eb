import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import type { KeyedState } from './keyed-state.js';
import { RecordPacker } from './packed-records.js';
import type { BlockPosition } from './space.js';

/**
 * The state as a stream, in the order of its spaces and keys, and its hash.
 * Invariant: both depend on the logical content alone, not on the path to it nor on where it is kept. An import is complete or
 * leaves an empty state.
 */
interface Header {
  format: number;
  spaces: { name: string; version: number }[];
  position: BlockPosition;
}

const FORMAT = 1;
const PAGE = 1_000;
const CHUNK_BYTES = 256 * 1024;
const DIGEST_BYTES = 32;

/** The committed state: header, chunks of packed records, an empty chunk, digest. Commits may happen meanwhile. */
export async function* exportState(state: KeyedState): AsyncGenerator<Buffer> {
  const view = state.view();
  try {
    if (view.position === null)
      throw new TidepoolError('state_empty', 'nothing was committed: there is no state to export');
    const digest = createHash('sha256');
    const framed = (body: Buffer): Buffer => {
      const frame = Buffer.concat([lengthOf(body), body]);
      digest.update(frame);
      return frame;
    };
    const header: Header = { format: FORMAT, spaces: formOf(state), position: view.position };
    yield framed(Buffer.from(JSON.stringify(header)));
    const packer = new RecordPacker(CHUNK_BYTES);
    for (const [index] of state.declared.entries()) {
      for (let from: Hex | null = ''; from !== null; ) {
        const page = view.page(index, from, PAGE);
        for (const { key, value } of page) {
          if (!packer.fits(key, value)) yield framed(packer.take());
          packer.add(index, key, value);
        }
        from = page.length < PAGE ? null : `${page.at(-1)!.key}00`;
        await nextTurn();
      }
    }
    if (!packer.isEmpty) yield framed(packer.take());
    yield framed(Buffer.alloc(0));
    yield digest.digest();
  } finally {
    view.release();
  }
}

/** Fills an empty state. A stream that is cut short, damaged or of another form is refused. */
export async function importState(state: KeyedState, stream: AsyncIterable<Uint8Array>): Promise<BlockPosition> {
  if (state.head !== null) throw new TidepoolError('state_not_empty', 'a state is imported into an empty one only');
  const input = new FrameReader(stream);
  const header = JSON.parse((await input.frame()).toString()) as Header;
  if (header.format !== FORMAT || JSON.stringify(header.spaces) !== JSON.stringify(formOf(state)))
    throw new TidepoolError('state_version', 'the exported state has another form');
  for (let frame = await input.frame(); frame.length > 0; frame = await input.frame()) {
    // In memory of its own: it is handed to another thread.
    await state.load([Buffer.from(new Uint8Array(frame).buffer)], null);
  }
  await input.end();
  await state.load([], header.position);
  return header.position;
}

/**
 * Hash of the newest values, without spaces that follow from others. The state must not change meanwhile.
 */
export async function stateHash(state: KeyedState): Promise<Hex> {
  const digest = createHash('sha256');
  const { changeCount } = state;
  for (const space of state.declared) {
    if (space.derived) continue;
    const keyed = state.space(space);
    digest.update(JSON.stringify([space.name, space.version]));
    const packer = new RecordPacker(CHUNK_BYTES);
    for (let from: Hex | null = ''; from !== null; ) {
      if (state.changeCount !== changeCount)
        throw new TidepoolError('state_moved', 'the state changed while its hash was computed');
      const page = keyed.range({ from, to: null, limit: PAGE });
      for (const [key, value] of page) packer.add(0, key, space.encode(value));
      digest.update(packer.take());
      from = page.length < PAGE ? null : `${page.at(-1)![0]}00`;
      await nextTurn();
    }
  }
  return digest.digest('hex').slice(0, 32);
}

const formOf = (state: KeyedState): Header['spaces'] => state.declared.map(({ name, version }) => ({ name, version }));

function lengthOf(body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return length;
}

/** Frames of a stream whose pieces have any size. */
class FrameReader {
  private readonly pieces: AsyncIterator<Uint8Array>;
  private readonly digest = createHash('sha256');
  private rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.pieces = stream[Symbol.asyncIterator]();
  }

  async frame(): Promise<Buffer> {
    const length = await this.take(4);
    const body = await this.take(length.readUInt32LE(0));
    this.digest.update(length).update(body);
    return body;
  }

  async end(): Promise<void> {
    const stated = await this.take(DIGEST_BYTES);
    const more = this.rest.length > 0 || !(await this.pieces.next()).done;
    if (more || !this.digest.digest().equals(stated))
      throw new TidepoolError('bad_state', 'the exported state is damaged');
  }

  private async take(bytes: number): Promise<Buffer> {
    while (this.rest.length < bytes) {
      const { done, value } = await this.pieces.next();
      if (done) throw new TidepoolError('bad_state', 'the exported state is cut short');
      this.rest = Buffer.concat([this.rest, value]);
    }
    const taken = this.rest.subarray(0, bytes);
    this.rest = this.rest.subarray(bytes);
    return taken;
  }
}
