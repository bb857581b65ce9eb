import {
  IsBoolean,
  IsDefined,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateBy,
} from 'class-validator';
import { type JsonSchema, optionalField, plainField, property } from '../schema/property.js';
import { EXAMPLE_CHAIN } from './examples.js';

/** Decorators of parameter classes: the rules of a parameter, the message of each and its documentation, in one call. */
const MAX_TIME = 8_640_000_000_000_000;
/** Below it a time is taken for one in seconds: in milliseconds it would be of March 1973. */
const MIN_TIME = 100_000_000_000;

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
  extra: JsonSchema,
): PropertyDecorator {
  const message = `${name} must be ${what}`;
  return all(
    IsOptional(),
    IsInt({ message }),
    Min(min, { message }),
    Max(max, { message }),
    property(optionalField({ type: 'integer', minimum: min, maximum: max, ...extra })),
  );
}

/** A whole number of any size: one that only says where a search begins or ends. */
export function anyWholeNumber(name: string, what: string, extra: JsonSchema): PropertyDecorator {
  const message = `${name} must be ${what}`;
  return all(IsOptional(), IsInt({ message }), property(optionalField({ type: 'integer', ...extra })));
}

export const time = (name: string, description: string) =>
  wholeNumber(name, MIN_TIME, MAX_TIME, `a Unix time in milliseconds, a whole number from ${MIN_TIME}`, {
    description: `${description} Unix ms; a time in seconds is refused.`,
    examples: [1_767_225_600_000],
  });

export const limit = (fallback: number, max: number) =>
  wholeNumber('limit', 1, max, `a whole number from 1 to ${max}`, {
    description: 'Most rows of a page.',
    default: fallback,
  });

/** A chain by any of its names. */
export const chainName = (maxLength = 200) =>
  requiredWord('chain', 'Slug, alias or id of the chain, in any case.', maxLength, { examples: [EXAMPLE_CHAIN] });

/** Text that may be left out. */
export const word = (name: string, description: string, maxLength: number, extra: JsonSchema = {}) =>
  all(
    IsOptional(),
    IsString({ message: `${name} must be text` }),
    MaxLength(maxLength, { message: `${name} must have at most ${maxLength} characters` }),
    property(optionalField({ type: 'string', maxLength, description, ...extra })),
  );

/** Text that has to be there. */
export const requiredWord = (name: string, description: string, maxLength: number, extra: JsonSchema = {}) =>
  all(
    IsDefined({ message: `${name} is required` }),
    IsString({ message: `${name} must be text` }),
    MaxLength(maxLength, { message: `${name} must have at most ${maxLength} characters` }),
    property(plainField({ type: 'string', minLength: 1, maxLength, description, ...extra })),
  );

/** One to `most` texts, as a list or separated by commas; `what` names them in the message. */
export const texts = (
  name: string,
  what: string,
  most: number,
  maxLength: number,
  description: string,
  examples: readonly string[],
) => {
  const item: JsonSchema = { type: 'string', minLength: 1, maxLength };
  const isItem = (value: unknown) => typeof value === 'string' && value !== '' && value.length <= maxLength;
  const validate = (value: unknown) =>
    Array.isArray(value) && value.length >= 1 && value.length <= most && value.every(isItem);
  return all(
    IsDefined({ message: `${name} is required` }),
    ValidateBy({ name: 'texts', validator: { validate } }, { message: `${name} must be 1 to ${most} ${what}` }),
    property(
      plainField({ type: 'array', minItems: 1, maxItems: most, items: item, description, examples: [examples] }),
    ),
  );
};

export const oneOf = (name: string, values: readonly string[], fallback: string, description: string) =>
  all(
    IsOptional(),
    IsIn([...values], { message: `${name} must be one of ${values.join(', ')}` }),
    property(optionalField({ type: 'string', enum: [...values], default: fallback, description })),
  );

/** One of some values; there is no other to fall back to. */
export const mustBeOneOf = (name: string, values: readonly string[], description: string) =>
  all(
    IsIn([...values], { message: `${name} must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}` }),
    property(plainField({ type: 'string', enum: [...values], description })),
  );

export const onOff = (name: string, description: string) =>
  all(
    IsOptional(),
    IsBoolean({ message: `${name} must be true or false` }),
    property(optionalField({ type: 'boolean', default: false, description })),
  );

/** One of some values, or nothing at all. */
export const choice = (name: string, values: readonly string[], description: string) =>
  all(
    IsOptional(),
    IsIn([...values], { message: `${name} must be one of ${values.join(', ')}` }),
    property(optionalField({ type: 'string', enum: [...values], description })),
  );

/** A number from 0 on, decimals included. */
export const amountFrom0 = (name: string, description: string, example: number) => {
  const message = `${name} must be a number from 0; an exponent is allowed`;
  return all(
    IsOptional(),
    IsNumber({}, { message }),
    Min(0, { message }),
    property(optionalField({ type: 'number', minimum: 0, description, examples: [example] })),
  );
};

export const asOf = () =>
  wholeNumber('asOfBlock', 0, Number.MAX_SAFE_INTEGER, 'a block height, a whole number from 0', {
    description: 'Answer as of the end of this block instead of the newest one.',
    examples: [21_000_000],
  });

export const cursorText = () =>
  word(
    'cursor',
    'The `next` of the page before, unchanged, with the same parameters; `limit` may be another one.',
    2048,
    {
      pattern: '^[A-Za-z0-9_-]+$',
      examples: ['eyJzIjoxMjM0NX0'],
    },
  );
