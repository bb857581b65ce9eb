import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';

/** The query parameters of the market-data routes: one class a route, its rules and its documentation in one place. */
export const candleIntervals = [
  ...['1s', '5s', '15s', '30s', '1m', '3m', '5m', '15m', '30m'],
  ...['1h', '2h', '4h', '6h', '12h', '1d', '3d', '1w', '1M'],
] as const;

const MAX_TIME = 8_640_000_000_000_000;

const all =
  (...decorators: PropertyDecorator[]): PropertyDecorator =>
  (target, key) => {
    for (const decorate of decorators) decorate(target, key);
  };

function wholeNumber(
  name: string,
  min: number,
  max: number,
  what: string,
  extra: ApiPropertyOptions,
): PropertyDecorator {
  const message = `${name} must be ${what}`;
  return all(
    IsOptional(),
    IsInt({ message }),
    Min(min, { message }),
    Max(max, { message }),
    ApiPropertyOptional({ type: 'integer', minimum: min, maximum: max, ...extra } as ApiPropertyOptions),
  );
}

const time = (name: string, description: string) =>
  wholeNumber(name, 0, MAX_TIME, 'a Unix time in milliseconds, a whole number from 0', { description });

const limit = (fallback: number, max: number) =>
  wholeNumber('limit', 1, max, `a whole number from 1 to ${max}`, {
    description: 'Most rows of a page.',
    default: fallback,
  });

const word = (name: string, description: string, maxLength: number) =>
  all(
    IsOptional(),
    IsString({ message: `${name} must be text` }),
    MaxLength(maxLength, { message: `${name} must have at most ${maxLength} characters` }),
    ApiPropertyOptional({ type: String, description }),
  );

const oneOf = (name: string, values: readonly string[], fallback: string, description: string) =>
  all(
    IsOptional(),
    IsIn([...values], { message: `${name} must be one of ${values.join(', ')}` }),
    ApiPropertyOptional({ enum: [...values], default: fallback, description }),
  );

const onOff = (name: string, description: string) =>
  all(
    IsOptional(),
    IsBoolean({ message: `${name} must be true or false` }),
    ApiPropertyOptional({ type: Boolean, default: false, description }),
  );

const asOf = () =>
  wholeNumber('asOfBlock', 0, Number.MAX_SAFE_INTEGER, 'a block height, a whole number from 0', {
    description: 'Answer as of the end of this block instead of the newest one.',
  });

const cursorText = () => word('cursor', 'The `next` of the page before, unchanged, with the same parameters.', 2048);

export class TokenQuery {
  @asOf()
  asOfBlock?: number;
}

export class TradesQuery {
  @time('from', 'Only trades at or after this time.')
  from?: number;

  @time('to', 'Only trades before this time.')
  to?: number;

  @limit(50, 200)
  limit: number = 50;

  @cursorText()
  cursor?: string;

  @word('pool', 'Only trades of this pool.', 200)
  pool?: string;

  @word('wallet', 'Only trades of this wallet.', 200)
  wallet?: string;

  @asOf()
  asOfBlock?: number;
}

export class CandlesQuery {
  @oneOf('interval', candleIntervals, '1m', 'Length of a candle. Weeks start on Monday, months on the 1st, 00:00 UTC.')
  interval: string = '1m';

  @time('from', 'Only candles that start at or after this time.')
  from?: number;

  @time('to', 'Only candles that start before this time.')
  to?: number;

  @limit(300, 1000)
  limit: number = 300;

  @cursorText()
  cursor?: string;

  @oneOf('currency', ['usd', 'native'], 'usd', "`native`: each candle at the coin's price at the candle's end.")
  currency: 'usd' | 'native' = 'usd';

  @word('pool', 'Candles of this pool alone.', 200)
  pool?: string;

  @onOff('fill', 'Also candles without a trade, flat at the close before them.')
  fill: boolean = false;

  @onOff('continuous', 'Each candle opens at the close before it.')
  continuous: boolean = false;

  @asOf()
  asOfBlock?: number;
}
