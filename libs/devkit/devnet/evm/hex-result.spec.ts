import { withSeed } from '#libs/devkit/testing/seeded-random.js';
import { hexResult } from './hex-result.js';

async function* of(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces;
}

async function bytesOf(...pieces: string[]): Promise<Buffer> {
  const found: Buffer[] = [];
  for await (const bytes of hexResult(of(pieces.map((piece) => Buffer.from(piece))))) found.push(bytes);
  return Buffer.concat(found);
}

test('an answer gives its bytes, wherever it is cut into pieces', () =>
  withSeed('hex results', async (random) => {
    for (let round = 0; round < 200; round++) {
      const hex = random.hex(random.int(0, 60));
      const answer = `{"jsonrpc":"2.0","id":0,"result":${random.chance(0.5) ? ' ' : ''}"0x${hex}"}`;
      const pieces: string[] = [];
      for (let at = 0; at < answer.length; ) {
        const size = random.int(1, 40);
        pieces.push(answer.slice(at, at + size));
        at += size;
      }
      expect((await bytesOf(...pieces)).toString('hex')).toBe(hex);
    }
  }));

test.each([
  ['an error', ['{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no such method"}}'], 'no such method'],
  ['one without a result', ['x'.repeat(3_000), 'x'.repeat(3_000), '"result":"0x00"'], 'the node answered: xxx'],
  ['one that ends early', ['{"result":"0x00', '01'], 'cut short'],
  ['half a byte', ['{"result":"0x00', '0"}'], 'half a byte'],
  ['other text', ['{"result":"0x00zz11"}'], 'not hex'],
])('%s is refused', async (_, pieces, reason) => {
  await expect(bytesOf(...pieces)).rejects.toThrow(reason);
});
