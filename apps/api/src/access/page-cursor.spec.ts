import { randomBytes } from 'node:crypto';
import { CursorSigner } from '#libs/core/cursor.js';
import { blockProofs } from '#libs/protocol/blocks.js';
import type { Pin } from '#libs/serve/reader/chain-view.js';
import { MarketCursors, PageCursors } from './page-cursor.js';

const signer = new CursorSigner(randomBytes(32));
const pages = new PageCursors<readonly [number, number]>(signer, 2);
const markets = new MarketCursors(signer);

const pinWith = (proof: Pin['proof']): Pin => ({
  ...{ epoch: 1, generation: 2, seq: 30, height: 400, hash: 'ab'.repeat(32), time: 5_000, proof },
  ...{ finalizedHeight: -1, sealSeq: 7, sealedTime: 4_000 },
});

describe('page cursors', () => {
  it.each(blockProofs)('hold the pin of a view whose block was checked: %s', (proof) => {
    const pin = pinWith(proof);
    expect(pages.open('route', pages.seal('route', pin, [8, 9]))).toEqual({ pin, place: [8, 9] });
    const pins = new Map([
      ['eth', pin],
      ['sol', pinWith('none')],
    ]);
    expect(markets.open('list', markets.seal('list', pins, 50))).toEqual({ pins, offset: 50 });
  });

  it('are read where a program made them that knew of no proofs', () => {
    const fields = [Buffer.from('ab'.repeat(32), 'hex').toString('base64url'), 1, 2, 30, 400, 5_000, -1, 7, 4_000];
    const pin = pinWith('none');
    expect(pages.open('route', signer.sign('route', [...fields, 8, 9]))).toEqual({ pin, place: [8, 9] });
    expect(markets.open('list', signer.sign('list', [50, ['eth', ...fields]])).pins).toEqual(new Map([['eth', pin]]));
  });

  it('are refused with fields too few, too many, or unknown', () => {
    const fields = [Buffer.from('ab'.repeat(32), 'hex').toString('base64url'), 1, 2, 30, 400, 5_000, -1, 7, 4_000];
    for (const wrong of [fields.slice(0, -1), [...fields, 0, 0], [...fields, 3], [...fields, 0.5]]) {
      expect(() => pages.open('route', signer.sign('route', [...wrong, 8, 9]))).toThrow('first page');
      expect(() => markets.open('list', signer.sign('list', [50, ['eth', ...wrong]]))).toThrow('first page');
    }
    expect(() => pages.open('route', signer.sign('route', [8, 9]))).toThrow('first page');
  });
});
