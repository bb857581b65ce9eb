import { constants, deflateRaw } from 'node:zlib';

/** Compressions at a time: each takes a quarter of a megabyte of memory while it runs. */
const MOST_AT_ONCE = 4;
/** What a sync flush ends with. A message of the extension leaves it out (RFC 7692, section 7.2.1). */
const TAIL_BYTES = 4;
const OPTIONS = { level: 3, memLevel: 7, finishFlush: constants.Z_SYNC_FLUSH };

/**
 * Messages of permessage-deflate, each on its own. Without context takeover the bytes of a message are the same for every socket,
 * so that one compression serves them all.
 */
export class Deflater {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  async message(payload: Buffer): Promise<Buffer> {
    if (this.running >= MOST_AT_ONCE) await new Promise<void>((resolve) => void this.waiting.push(resolve));
    else this.running++;
    try {
      const bytes = await deflated(payload);
      return bytes.subarray(0, bytes.length - TAIL_BYTES);
    } finally {
      // The place is handed on.
      const next = this.waiting.shift();
      if (next === undefined) this.running--;
      else next();
    }
  }
}

const deflated = (payload: Buffer): Promise<Buffer> =>
  new Promise((done, failed) => {
    deflateRaw(payload, OPTIONS, (error, bytes) => {
      if (error === null) done(bytes);
      else failed(error);
    });
  });
