import { payload } from '../schema/property.js';
import { number, numberOrNull, objectOrNull, textOrNull } from './field.js';

class Depth extends payload({
  percent2: number('What a sale brings that lowers the price by 2 %, in USD.', { example: 21_400.5 }),
  percent10: number('The same for 10 %.', { example: 96_120.75 }),
}) {}

/** What could be taken out of a token or pool (docs/prices.md): fields beyond the price. */
export const worthFields = {
  exitUsd: numberOrNull(
    'What a sale down to a quarter of the price would bring, in USD, of a bonding curve all that it holds; a token that others are quoted in less what is theirs. Null for the coin and the stablecoins, and where it is not known.',
    { minimum: 0, example: 45_600_128.2 },
  ),
  depthUsd: objectOrNull(() => Depth, 'What smaller sales would bring. Null where `exitUsd` is.'),
  priceBasis: textOrNull(
    'What backs the price: `curve`, a bonding curve; `thin`, an `exitUsd` below 500; else `deep`. Null without a price, and where it is not known.',
    { enum: ['deep', 'thin', 'curve'], example: 'deep' },
  ),
};
