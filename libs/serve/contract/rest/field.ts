import { type JsonSchema, type PayloadClass, plainExample, plainProperty, property } from '../schema/property.js';
import { EXAMPLE_CHAIN } from './examples.js';

/**
 * Field decorators of the payload classes. Every field of an answer is always present unless it is marked optional; what
 * is unknown is null. The OpenAPI and AsyncAPI documents and their examples are made from these.
 */
type Extra = Omit<JsonSchema, 'type' | 'description'> & { readonly example?: unknown };

function plain(type: string, description: string, extra: Extra, isOptional = false): PropertyDecorator {
  const { example, ...rest } = extra;
  return plainProperty(
    { type, description, ...rest, ...(example === undefined ? {} : { examples: [example] }) },
    isOptional,
  );
}

/** The same with null among its values. */
function nullable(type: string, description: string, extra: Extra): PropertyDecorator {
  const { example, enum: choices, ...rest } = extra;
  return plainProperty({
    type: [type, 'null'],
    description,
    ...rest,
    ...(Array.isArray(choices) ? { enum: [...choices, null] } : {}),
    ...(example === undefined ? {} : { examples: [example] }),
  });
}

export const text = (description: string, extra: Extra = {}) => plain('string', description, extra);
export const chainSlug = () => text('Slug of the chain.', { example: EXAMPLE_CHAIN });
export const textOrNull = (description: string, extra: Extra = {}) => nullable('string', description, extra);
export const number = (description: string, extra: Extra = {}) => plain('number', description, extra);
export const numberOrNull = (description: string, extra: Extra = {}) => nullable('number', description, extra);
export const integer = (description: string, extra: Extra = {}) => plain('integer', description, extra);
export const integerOrNull = (description: string, extra: Extra = {}) => nullable('integer', description, extra);
export const flag = (description: string, extra: Extra = {}) => plain('boolean', description, extra);
export const flagOrNull = (description: string) => nullable('boolean', description, {});

/** Fields that may be missing. */
export const optionalText = (description: string, extra: Extra = {}) => plain('string', description, extra, true);
export const optionalInteger = (description: string, extra: Extra = {}) => plain('integer', description, extra, true);

type Lazy = () => PayloadClass;

export const object = (type: Lazy, description: string) =>
  property({
    optional: false,
    schema: (reference) => ({ ...reference(type()), description }),
    example: (exampleOf) => exampleOf(type()),
  });
export const objectOrNull = (type: Lazy, description: string) =>
  property({
    optional: false,
    schema: (reference) => ({ anyOf: [reference(type()), { type: 'null' }], description }),
    example: (exampleOf) => exampleOf(type()),
  });
export const list = (type: Lazy, description: string) =>
  property({
    optional: false,
    schema: (reference) => ({ type: 'array', items: reference(type()), description }),
    example: (exampleOf) => [exampleOf(type())],
  });
/** An object that is there only when it was asked for. */
export const optionalObject = (type: Lazy, description: string) =>
  property({
    optional: true,
    schema: (reference) => ({ ...reference(type()), description }),
    example: (exampleOf) => exampleOf(type()),
  });
export const listOrNull = (type: Lazy, description: string) =>
  property({
    optional: false,
    schema: (reference) => ({ anyOf: [{ type: 'array', items: reference(type()) }, { type: 'null' }], description }),
    example: (exampleOf) => [exampleOf(type())],
  });
/** An object with any keys, whose values are of one class; `key` is the one that examples show. */
export const mapOf = (type: PayloadClass, description: string, key = EXAMPLE_CHAIN) =>
  property({
    optional: false,
    schema: (reference) => ({ type: 'object', additionalProperties: reference(type), description }),
    example: (exampleOf) => ({ [key]: exampleOf(type) }),
  });

function listOf(type: string, description: string, extra: Extra, isOptional = false): PropertyDecorator {
  const { example, ...item } = extra;
  const items: JsonSchema = { type, ...item };
  const schema: JsonSchema = { type: 'array', items, description };
  const shown = example === undefined ? plainExample(items) : example;
  const examples = Array.isArray(shown) ? shown : shown === null ? [] : [shown];
  return property({ optional: isOptional, schema: () => schema, example: () => examples });
}

export const textList = (description: string, extra: Extra = {}) => listOf('string', description, extra);
export const numberList = (description: string, extra: Extra = {}) => listOf('number', description, extra);
export const optionalTextList = (description: string, extra: Extra = {}) => listOf('string', description, extra, true);
export const optionalIntegerList = (description: string, extra: Extra = {}) =>
  listOf('integer', description, extra, true);

/** Decimal string of whole tokens: exact, never in exponent form. */
const WHOLE_TOKENS = { pattern: '^-?\\d+(\\.\\d+)?$', example: '1234.5' } as const;

export const amount = (description: string) => text(`${description} Decimal string in whole tokens.`, WHOLE_TOKENS);
export const amountOrNull = (description: string) =>
  textOrNull(`${description} Decimal string in whole tokens.`, WHOLE_TOKENS);
