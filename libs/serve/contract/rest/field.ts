import {
  type Field,
  type JsonSchema,
  optionalField,
  type PayloadClass,
  plainExample,
  plainField,
} from '../schema/property.js';
import { EXAMPLE_CHAIN } from './examples.js';

/**
 * Fields of the payload classes. Every field of an answer is always present unless it is marked optional; what is unknown
 * is null. A field with fewer values than its kind names them as its type: `text<'a' | 'b'>`. The OpenAPI and AsyncAPI
 * documents and their examples are made from these.
 */
type Extra = Omit<JsonSchema, 'type' | 'description'> & { readonly example?: unknown };

const plain = (type: string, description: string, { example, ...rest }: Extra): JsonSchema => ({
  ...{ type, description, ...rest },
  ...(example === undefined ? {} : { examples: [example] }),
});

/** The same with null among its values. */
function nullable<Value>(type: string, description: string, extra: Extra): Field<Value | null, false> {
  const { example, enum: choices, ...rest } = extra;
  return plainField({
    type: [type, 'null'],
    description,
    ...rest,
    ...(Array.isArray(choices) ? { enum: [...choices, null] } : {}),
    ...(example === undefined ? {} : { examples: [example] }),
  });
}

export const text = <T extends string = string>(description: string, extra: Extra = {}) =>
  plainField<T>(plain('string', description, extra));
export const chainSlug = () => text('Slug of the chain.', { example: EXAMPLE_CHAIN });
export const textOrNull = <T extends string = string>(description: string, extra: Extra = {}) =>
  nullable<T>('string', description, extra);
export const number = (description: string, extra: Extra = {}) =>
  plainField<number>(plain('number', description, extra));
export const numberOrNull = (description: string, extra: Extra = {}) => nullable<number>('number', description, extra);
export const integer = <T extends number = number>(description: string, extra: Extra = {}) =>
  plainField<T>(plain('integer', description, extra));
export const integerOrNull = (description: string, extra: Extra = {}) =>
  nullable<number>('integer', description, extra);
export const flag = <T extends boolean = boolean>(description: string, extra: Extra = {}) =>
  plainField<T>(plain('boolean', description, extra));
export const flagOrNull = (description: string) => nullable<boolean>('boolean', description, {});

/** Fields that may be missing. */
export const optionalText = <T extends string = string>(description: string, extra: Extra = {}) =>
  optionalField<T>(plain('string', description, extra));
export const optionalInteger = (description: string, extra: Extra = {}) =>
  optionalField<number>(plain('integer', description, extra));

type Lazy<T extends object> = () => PayloadClass<T>;

export const object = <T extends object>(type: Lazy<T>, description: string): Field<T, false> => ({
  optional: false,
  schema: (reference) => ({ ...reference(type()), description }),
  example: (exampleOf) => exampleOf(type()),
});
export const objectOrNull = <T extends object>(type: Lazy<T>, description: string): Field<T | null, false> => ({
  optional: false,
  schema: (reference) => ({ anyOf: [reference(type()), { type: 'null' }], description }),
  example: (exampleOf) => exampleOf(type()),
});
export const list = <T extends object>(type: Lazy<T>, description: string): Field<T[], false> => ({
  optional: false,
  schema: (reference) => ({ type: 'array', items: reference(type()), description }),
  example: (exampleOf) => [exampleOf(type())],
});
/** An object that is there only when it was asked for. */
export const optionalObject = <T extends object>(type: Lazy<T>, description: string): Field<T, true> => ({
  ...object(type, description),
  optional: true,
});
export const listOrNull = <T extends object>(type: Lazy<T>, description: string): Field<T[] | null, false> => ({
  optional: false,
  schema: (reference) => ({ anyOf: [{ type: 'array', items: reference(type()) }, { type: 'null' }], description }),
  example: (exampleOf) => [exampleOf(type())],
});
/** An object with any keys, whose values are of one class; `key` is the one that examples show. */
export const mapOf = <T extends object>(
  type: PayloadClass<T>,
  description: string,
  key = EXAMPLE_CHAIN,
): Field<Record<string, T>, false> => ({
  optional: false,
  schema: (reference) => ({ type: 'object', additionalProperties: reference(type), description }),
  example: (exampleOf) => ({ [key]: exampleOf(type) }),
});

function listOf<T>(type: string, description: string, extra: Extra): Field<T[], false> {
  const { example, ...item } = extra;
  const items: JsonSchema = { type, ...item };
  const schema: JsonSchema = { type: 'array', items, description };
  const shown = example === undefined ? plainExample(items) : example;
  const examples = Array.isArray(shown) ? shown : shown === null ? [] : [shown];
  return { optional: false, schema: () => schema, example: () => examples };
}

export const textList = <T extends string = string>(description: string, extra: Extra = {}) =>
  listOf<T>('string', description, extra);
/** The same with null in the place of the list. */
export const textListOrNull = <T extends string = string>(description: string, extra: Extra = {}) => {
  const field = listOf<T>('string', description, extra);
  const schema: typeof field.schema = (reference) => ({ ...field.schema(reference), type: ['array', 'null'] });
  return { ...field, schema } as Field<T[] | null, false>;
};
export const numberList = (description: string, extra: Extra = {}) => listOf<number>('number', description, extra);
export const optionalTextList = (description: string, extra: Extra = {}): Field<string[], true> => ({
  ...textList(description, extra),
  optional: true,
});
export const optionalIntegerList = (description: string, extra: Extra = {}): Field<number[], true> => ({
  ...listOf<number>('integer', description, extra),
  optional: true,
});

/** Decimal string of whole tokens: exact, never in exponent form. */
const WHOLE_TOKENS = { pattern: '^-?\\d+(\\.\\d+)?$', example: '1234.5' } as const;

export const amount = (description: string) => text(`${description} Decimal string in whole tokens.`, WHOLE_TOKENS);
export const amountOrNull = (description: string) =>
  textOrNull(`${description} Decimal string in whole tokens.`, WHOLE_TOKENS);
