import 'reflect-metadata';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsDefined, IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { candleIntervals } from '../rest/queries.js';

/** The parameters of the live channels: one class a channel, its rules and its documentation in one place. */
const MOST_CHARACTERS = 200;

const all =
  (...decorators: PropertyDecorator[]): PropertyDecorator =>
  (target, key) => {
    for (const decorate of decorators) decorate(target, key);
  };

const required = (name: string, description: string) =>
  all(
    IsDefined({ message: `${name} is required` }),
    IsString({ message: `${name} must be text` }),
    MaxLength(MOST_CHARACTERS, { message: `${name} must have at most ${MOST_CHARACTERS} characters` }),
    ApiProperty({ type: String, description }),
  );

const oneOf = (name: string, values: readonly string[], fallback: string, description: string) =>
  all(
    IsOptional(),
    IsIn([...values], { message: `${name} must be one of ${values.join(', ')}` }),
    ApiPropertyOptional({ enum: [...values], default: fallback, description }),
  );

const chain = () => required('chain', 'Slug, alias or id of a chain.');
const token = () => required('token', 'Address of a token of that chain.');

export class TradesParams {
  @chain()
  chain!: string;

  @token()
  token!: string;
}

export class CandlesParams {
  @chain()
  chain!: string;

  @token()
  token!: string;

  @oneOf('interval', candleIntervals, '1m', 'Length of a candle. Weeks start on Monday, months on the 1st, 00:00 UTC.')
  interval: string = '1m';

  @oneOf('currency', ['usd', 'native'], 'usd', "`native`: each candle at the coin's price at the candle's end.")
  currency: 'usd' | 'native' = 'usd';
}
