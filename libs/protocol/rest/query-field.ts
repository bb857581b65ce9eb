import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsNumber, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';

/** Decorators of query classes: the rules of a parameter, the message of each and its documentation, in one call. */
const MAX_TIME = 8_640_000_000_000_000;

const all =
  (...decorators: PropertyDecorator[]): PropertyDecorator =>
  (target, key) => {
    for (const decorate of decorators) decorate(target, key);
  };

export function wholeNumber(
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

export const time = (name: string, description: string) =>
  wholeNumber(name, 0, MAX_TIME, 'a Unix time in milliseconds, a whole number from 0', { description });

export const limit = (fallback: number, max: number) =>
  wholeNumber('limit', 1, max, `a whole number from 1 to ${max}`, {
    description: 'Most rows of a page.',
    default: fallback,
  });

export const word = (name: string, description: string, maxLength: number) =>
  all(
    IsOptional(),
    IsString({ message: `${name} must be text` }),
    MaxLength(maxLength, { message: `${name} must have at most ${maxLength} characters` }),
    ApiPropertyOptional({ type: String, description }),
  );

export const oneOf = (name: string, values: readonly string[], fallback: string, description: string) =>
  all(
    IsOptional(),
    IsIn([...values], { message: `${name} must be one of ${values.join(', ')}` }),
    ApiPropertyOptional({ enum: [...values], default: fallback, description }),
  );

export const onOff = (name: string, description: string) =>
  all(
    IsOptional(),
    IsBoolean({ message: `${name} must be true or false` }),
    ApiPropertyOptional({ type: Boolean, default: false, description }),
  );

/** One of some values, or nothing at all. */
export const choice = (name: string, values: readonly string[], description: string) =>
  all(
    IsOptional(),
    IsIn([...values], { message: `${name} must be one of ${values.join(', ')}` }),
    ApiPropertyOptional({ enum: [...values], description }),
  );

/** A number from 0 on, decimals included. */
export const amountFrom0 = (name: string, description: string) => {
  const message = `${name} must be a number from 0, in plain decimal form`;
  return all(
    IsOptional(),
    IsNumber({}, { message }),
    Min(0, { message }),
    ApiPropertyOptional({ type: Number, minimum: 0, description }),
  );
};

export const asOf = () =>
  wholeNumber('asOfBlock', 0, Number.MAX_SAFE_INTEGER, 'a block height, a whole number from 0', {
    description: 'Answer as of the end of this block instead of the newest one.',
  });

export const cursorText = () =>
  word('cursor', 'The `next` of the page before, unchanged, with the same parameters.', 2048);
