import type { CursorSigner } from '#libs/core/cursor.js';
import { isHex } from '#libs/core/ids.js';
import { blockProofs } from '#libs/protocol/blocks.js';
import { badRequest } from '#libs/serve/http/problem.js';
import type { Pin } from '#libs/serve/reader/chain-view.js';

/**
 * Page cursors: where the next page begins and the view it is read from, so that live blocks and retractions neither
 * lose nor repeat a row. A cursor belongs to one route with one set of parameters.
 */
export class PageCursors<Place extends readonly number[]> {
  constructor(
    private readonly signer: CursorSigner,
    private readonly places: Place['length'],
  ) {}

  seal(scope: string, pin: Pin, place: Place): string {
    return this.signer.sign(scope, [...pinFields(pin), ...place]);
  }

  /** A 400 for whatever this instance did not make for this very request. */
  open(scope: string, text: string): { pin: Pin; place: Place } {
    const payload = this.signer.verify(scope, text);
    if (Array.isArray(payload) && payload.length > this.places) {
      const pin = readPin(payload.slice(0, payload.length - this.places));
      const place = payload.slice(payload.length - this.places);
      if (pin !== null && place.every(Number.isSafeInteger)) return { pin, place: place as unknown as Place };
    }
    throw notOurs();
  }
}

/** Cursors of lists over several chains: the place in the list and the view of each of them. */
export class MarketCursors {
  constructor(private readonly signer: CursorSigner) {}

  seal(scope: string, pins: ReadonlyMap<string, Pin>, offset: number): string {
    return this.signer.sign(scope, [offset, ...[...pins].map(([slug, pin]) => [slug, ...pinFields(pin)])]);
  }

  open(scope: string, text: string): { pins: Map<string, Pin>; offset: number } {
    const payload = this.signer.verify(scope, text);
    if (Array.isArray(payload)) {
      const [offset, ...chains] = payload as unknown[];
      const pins = new Map<string, Pin>();
      for (const chain of chains) {
        const [slug, ...fields] = Array.isArray(chain) ? (chain as unknown[]) : [];
        const pin = readPin(fields);
        if (typeof slug === 'string' && pin !== null) pins.set(slug, pin);
      }
      if (Number.isSafeInteger(offset) && pins.size === chains.length) return { pins, offset: offset as number };
    }
    throw notOurs();
  }
}

/** Cursors of programs before have no proof. */
const PIN_FIELDS: readonly number[] = [9, 10];

function pinFields(pin: Pin): (string | number)[] {
  const { epoch, generation, seq, height, hash, time, finalizedHeight, sealSeq, sealedTime } = pin;
  const proof = blockProofs.indexOf(pin.proof);
  const numbers = [epoch, generation, seq, height, time, finalizedHeight, sealSeq, sealedTime, proof];
  return [Buffer.from(hash, 'hex').toString('base64url'), ...numbers];
}

function readPin(fields: readonly unknown[]): Pin | null {
  const [hash, ...numbers] = fields;
  if (!PIN_FIELDS.includes(fields.length) || typeof hash !== 'string' || !numbers.every(Number.isSafeInteger))
    return null;
  const [epoch, generation, seq, height, time, finalizedHeight, sealSeq, sealedTime, code = 0] = numbers as [
    ...[number, number, number, number],
    ...[number, number, number, number],
    number?,
  ];
  const proof = blockProofs[code];
  const id = Buffer.from(hash, 'base64url').toString('hex');
  if (!isHex(id) || proof === undefined) return null;
  return { epoch, generation, seq, height, hash: id, time, proof, finalizedHeight, sealSeq, sealedTime };
}

const notOurs = () =>
  badRequest('cursor is not one this route gave for these parameters: start again from the first page');
