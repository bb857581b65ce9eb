import { evmIds } from '#libs/core/ids.js';
import type { FactsBlock } from '../facts.js';
import { keyedRetractionKey, keyedRetractionValue, keyedTradeKey, keyedTradeValue } from './keyed-json.js';
import { goldenBlocks, goldenFacts } from './test/golden-groups.js';

const parse = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString('utf8'));

describe('keyed JSON documents', () => {
  it('writes a trade with text ids and exact decimals, keyed by base token', () => {
    const block = goldenFacts.block as FactsBlock;
    const [trade, unpriced] = block.trades;
    expect(keyedTradeKey(block, trade!, evmIds)).toBe('eth:0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2');
    expect(parse(keyedTradeValue(block, trade!, evmIds))).toStrictEqual({
      version: 1,
      type: 'trade',
      chain: 'eth',
      epoch: 3,
      seq: 4711,
      block: 19_000_000,
      blockHash: `0x${'ab'.repeat(32)}`,
      time: 1_700_000_000_000,
      id: `0x${'02'.repeat(32)}-0`,
      transaction: `0x${'02'.repeat(32)}`,
      ordinal: 302,
      wallet: `0x${'11'.repeat(20)}`,
      sender: `0x${'11'.repeat(20)}`,
      pool: '0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc',
      venue: 'uniswap-v2',
      side: 'buy',
      baseToken: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
      quoteToken: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
      baseAmount: '1',
      quoteAmount: '2000',
      priceUsd: '2000',
      coinUsd: '2000',
      volumeUsd: '2000',
      volumeNative: '1',
      uncounted: null,
    });
    const odd = { ...unpriced!, baseAmount: 1n, quoteAmount: 123_456_789n, coinUsd: 10n ** 36n / 3n };
    expect(parse(keyedTradeValue(block, odd, evmIds))).toMatchObject({
      id: `0x${'02'.repeat(32)}-1`,
      baseAmount: '0.000000000000000001',
      quoteAmount: '123.456789',
      priceUsd: null,
      coinUsd: `0.${'3'.repeat(36)}`,
      volumeUsd: null,
      volumeNative: null,
      uncounted: 'unknown',
    });
  });

  it('names the void range of a retraction, equally from blocks and from facts', () => {
    const fromBlocks = goldenBlocks.retract!;
    const fromFacts = goldenFacts.retract!;
    if (fromBlocks.kind !== 'retract' || fromFacts.kind !== 'retract') throw new Error('golden retract expected');
    expect(keyedRetractionKey(fromBlocks)).toBe('eth');
    expect(parse(keyedRetractionValue(fromBlocks, evmIds))).toStrictEqual({
      version: 1,
      type: 'retraction',
      chain: 'eth',
      epoch: 3,
      seq: 4711,
      fromSeq: 4700,
      toSeq: 4710,
      block: 19_000_000,
      blockHash: `0x${'ab'.repeat(32)}`,
      time: 1_700_000_000_000,
    });
    expect(keyedRetractionValue(fromFacts, evmIds)).toEqual(keyedRetractionValue(fromBlocks, evmIds));
  });
});
