import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { SeededRandom, testSeed } from '#libs/devkit/testing/seeded-random.js';
import type { SolanaQuote, SolanaQuoteHop } from '../model/solana-quote.js';
import { quoteBody } from './quote-body.js';
import { quoteText, writeQuote } from './quote-text.js';

/** The text that is kept of a quote gives, for every id and moment, what its body gives. */
it('is the body as JSON, to the byte, whatever a venue is called', () => {
  const seed = testSeed();
  const random = new SeededRandom(seed);
  const labels = ['Tidepool AMM', '"timeTaken":0,"quoteId":"","expiresAt":""', '"', '\\', 'é\u2028'];
  const amount = (): bigint => BigInt(`0x${random.hex(random.int(1, 8))}`);
  const hop = (): SolanaQuoteHop => ({
    ...{ pool: random.hex(32), venue: 'any', label: random.pick(labels) },
    ...{ tokenIn: random.hex(32), tokenOut: random.hex(32), amountIn: amount(), amountOut: amount(), fee: amount() },
    feeSide: random.pick(['input', 'output']),
  });
  for (let n = 0; n < 200; n++) {
    const quote: SolanaQuote = {
      ...{ exact: random.pick(['in', 'out']), inputMint: random.hex(32), outputMint: random.hex(32) },
      ...{ amountIn: amount(), amountOut: amount(), threshold: amount(), slippageBps: random.int(0, 10_000) },
      ...{ feeBps: random.pick([0, 50]), feeAmount: amount(), program: random.hex(32), slot: random.int(0, 1e9) },
      legs: Array.from({ length: random.int(1, 3) }, () => ({
        shareBps: random.int(1, 10_000),
        hops: Array.from({ length: random.int(1, 4) }, hop),
      })),
      ...{ candidates: random.int(1, 100), impactPpm: random.pick([null, 0, 7, 123_456]), inUsd: null, outUsd: 1.5 },
      warnings: random.pick([[], ['high_impact']]),
    };
    const issue = { quoteId: `${n}`, seconds: random.int(1, 1e6) / 1e6, expiresAt: n };
    const whole = JSON.stringify(quoteBody({ ids: solanaIds }, quote, issue, 'then'));
    expect([seed, n, writeQuote(quoteText({ ids: solanaIds }, quote), issue, 'then')]).toEqual([seed, n, whole]);
  }
});
