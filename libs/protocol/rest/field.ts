import { ApiProperty, type ApiPropertyOptions, getSchemaPath } from '@nestjs/swagger';

/**
 * Field decorators of the payload classes. Every field of an answer is always present; what is unknown is null. The
 * OpenAPI document is generated from these.
 */
type Extra = Omit<ApiPropertyOptions, 'type' | 'description' | 'required'>;

const property = (type: unknown, description: string, extra: Extra): PropertyDecorator =>
  ApiProperty({ type, description, ...extra } as ApiPropertyOptions);

export const text = (description: string, extra: Extra = {}) => property(String, description, extra);
export const textOrNull = (description: string, extra: Extra = {}) =>
  property(String, description, { ...extra, nullable: true });
export const number = (description: string, extra: Extra = {}) => property(Number, description, extra);
export const numberOrNull = (description: string, extra: Extra = {}) =>
  property(Number, description, { ...extra, nullable: true });
export const integer = (description: string, extra: Extra = {}) => property('integer', description, extra);
export const integerOrNull = (description: string, extra: Extra = {}) =>
  property('integer', description, { ...extra, nullable: true });
export const flag = (description: string) => property(Boolean, description, {});
export const flagOrNull = (description: string) => property(Boolean, description, { nullable: true });
type Lazy = () => unknown;

/** Swagger knows a lazy type by the name of its function. */
const lazily = (type: Lazy): Lazy => ({ type: () => type() }).type;

export const object = (type: Lazy, description: string) => property(lazily(type), description, {});
export const objectOrNull = (type: Lazy, description: string) =>
  property(lazily(type), description, { nullable: true });
export const list = (type: Lazy, description: string) => property(lazily(type), description, { isArray: true });
/** An object with any keys, whose values are of one class. */
export const mapOf = (type: new () => object, description: string) =>
  property('object', description, { additionalProperties: { $ref: getSchemaPath(type) } } as Extra);
export const textList = (description: string, extra: Extra = {}) =>
  property(String, description, { ...extra, isArray: true });

/** Decimal string of whole tokens: exact, never in exponent form. */
export const amount = (description: string) =>
  text(`${description} Decimal string in whole tokens.`, { example: '1234.5' });
export const amountOrNull = (description: string) =>
  textOrNull(`${description} Decimal string in whole tokens.`, { example: '1234.5' });
