import type { TradeFact } from '#libs/protocol/facts.js';
import { tradeSide } from './trade-side.js';

const E18 = 10n ** 18n;
const E36 = 10n ** 36n;

const trade = (fields: Partial<TradeFact>): TradeFact =>
  ({
    ...{ base: 'aa', quote: 'bb', side: 'buy', baseDecimals: 18, quoteDecimals: 6 },
    ...{ baseAmount: 2n * E18, quoteAmount: 8_000_000n, priceUsd: 4n * E36, volumeUsd: 8n * E18 },
    ...fields,
  }) as TradeFact;

it('the quote token’s price gives the trade the same value', () => {
  expect(tradeSide(trade({}), 'bb')).toMatchObject({ side: 'sell', tokenAmount: 8_000_000n, priceUsd: E36 });
});

it('of an enormous amount whose price is 0 at 36 decimals too', () => {
  const enormous = trade({ baseAmount: 10n ** 60n, priceUsd: 0n });
  expect(tradeSide(enormous, 'bb').priceUsd).toBe(E36);
  expect(tradeSide(enormous, 'aa').priceUsd).toBe(0n);
});

it('of a trade whose value is below the digits of its volume from the price', () => {
  const tiny = trade({ baseAmount: 2n, quoteAmount: 8_000_000n, priceUsd: 4n * E36, volumeUsd: 8n });
  expect(tradeSide(tiny, 'bb').priceUsd).toBe(E18);
  const none = trade({ baseAmount: 1n, quoteAmount: 4n, priceUsd: E36, volumeUsd: 0n });
  expect(tradeSide(none, 'bb').priceUsd).toBe((E36 * 10n ** 6n) / (4n * E18));
});

it('no price, or no amount, is no price', () => {
  expect(tradeSide(trade({ priceUsd: null }), 'bb').priceUsd).toBeNull();
  expect(tradeSide(trade({ quoteAmount: 0n }), 'bb').priceUsd).toBeNull();
});
