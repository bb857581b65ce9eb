import type { CursorSealer } from '#libs/core/cursor.js';
import { isHex } from '#libs/core/ids.js';
import { badRequest } from '#libs/http/problem.js';
import type { Pin } from '#libs/tail/chain-view.js';

/**
 * Page cursors: where the next page begins and the view it is read from, so that live blocks and retractions neither
 * lose nor repeat a row. A cursor belongs to one route with one set of parameters.
 */
export class PageCursors<Place extends readonly number[]> {
  constructor(
    private readonly sealer: CursorSealer,
    private readonly places: Place['length'],
  ) {}

  seal(scope: string, pin: Pin, place: Place): string {
    const { epoch, generation, seq, height, hash, time, finalizedHeight, sealSeq, sealedTime } = pin;
    const numbers = [epoch, generation, seq, height, time, finalizedHeight, sealSeq, sealedTime, ...place];
    return this.sealer.seal(scope, [Buffer.from(hash, 'hex').toString('base64url'), ...numbers]);
  }

  /** A 400 for whatever this instance did not make for this very request. */
  open(scope: string, text: string): { pin: Pin; place: Place } {
    const payload = this.sealer.open(scope, text);
    if (Array.isArray(payload) && payload.length === 9 + this.places) {
      const [hash, ...numbers] = payload as [unknown, ...unknown[]];
      if (typeof hash === 'string' && numbers.every(Number.isSafeInteger)) {
        const [epoch, generation, seq, height, time, finalizedHeight, sealSeq, sealedTime, ...place] =
          numbers as number[] as [number, number, number, number, number, number, number, number, ...number[]];
        const id = Buffer.from(hash, 'base64url').toString('hex');
        if (isHex(id)) {
          const pin = { epoch, generation, seq, height, hash: id, time, finalizedHeight, sealSeq, sealedTime };
          return { pin, place: place as unknown as Place };
        }
      }
    }
    throw badRequest('cursor is not one this route gave for these parameters: start again from the first page');
  }
}
