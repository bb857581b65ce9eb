import type { BlockRef } from '#libs/chain/chains/source-port.js';
import { dueSeal, type SealInput } from './seal.js';

const block = (height: number): BlockRef => ({
  height,
  hash: `h${height}`,
  parentHash: `h${height - 1}`,
  time: height * 12_000,
});
const blocks = (from: number, to: number): BlockRef[] =>
  Array.from({ length: to - from + 1 }, (_, n) => block(from + n));

function due(change: Partial<SealInput> & { finalizedHeight: number | null }) {
  const unsealed = blocks(100, 200);
  return dueSeal({
    rule: { source: 'finalized-tag', tailWindowSeconds: 900 },
    published: { sealedHeight: 100, finalizedHeight: 90, unsealed, head: block(200) },
    fresh: [],
    tip: block(200),
    stride: 1,
    ...change,
  });
}

describe('dueSeal', () => {
  it('is the newer of the chain finality and the window', () => {
    expect(due({ finalizedHeight: 110 })).toMatchObject({ block: block(125), finalizedHeight: 110 });
    expect(due({ finalizedHeight: 136 })).toMatchObject({ block: block(136), finalizedHeight: 136 });
    expect(due({ finalizedHeight: null })).toMatchObject({ block: block(125), finalizedHeight: 90 });
  });

  it('never rises above what is published, nor falls', () => {
    expect(due({ finalizedHeight: 10_000, tip: block(10_000) })).toMatchObject({
      block: block(200),
      finalizedHeight: 200,
    });
    const published = { sealedHeight: 150, finalizedHeight: 140, unsealed: blocks(150, 200), head: block(200) };
    expect(due({ finalizedHeight: 20, published })).toBeNull();
    expect(due({ finalizedHeight: 151, published })).toMatchObject({ block: block(151) });
    expect(due({ finalizedHeight: 151, published, stride: 2 })).toBeNull();
  });

  it('counts the blocks that go before it in the same batch', () => {
    const fresh = blocks(201, 300);
    expect(due({ finalizedHeight: 280, fresh, tip: block(400) })).toMatchObject({
      block: block(300),
      finalizedHeight: 280,
    });
  });

  it('takes the block before a final height that has none', () => {
    const unsealed = [100, 130, 137, 150, 200].map(block);
    const published = { sealedHeight: 100, finalizedHeight: 90, unsealed, head: block(200) };
    expect(due({ finalizedHeight: 149, published })).toMatchObject({ block: block(137), finalizedHeight: 137 });
    expect(due({ finalizedHeight: 150, published })).toMatchObject({ block: block(150), finalizedHeight: 150 });
    expect(due({ finalizedHeight: 149, published, stride: 40 })).toBeNull();
  });

  it('follows confirmations where a chain has no finality of its own', () => {
    const rule = { source: { confirmations: 20 }, tailWindowSeconds: 900 } as const;
    expect(due({ finalizedHeight: null, rule })).toMatchObject({ block: block(180), finalizedHeight: 180 });
  });

  it('has nothing to seal while nothing is published', () => {
    const base = block(99);
    const published = { sealedHeight: 99, finalizedHeight: -1, unsealed: [], head: base };
    expect(due({ finalizedHeight: 500, published })).toBeNull();
  });
});
