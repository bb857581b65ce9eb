/** Marks a field whose values are a list that only the maker of a document knows: it names the list. */
export const VALUES = 'x-values';

/**
 * What a payload class says of its fields, as JSON Schema (2020-12, the dialect of OpenAPI 3.1 and AsyncAPI 3). The
 * documents, the examples and the checks of answers are made from it. Fields of a base class come first.
 */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: a payload class may have any fields
export type PayloadClass<T extends object = any> = new () => T;

/** Gives the reference of another payload class inside the document that is being made. */
type Reference = (type: PayloadClass) => JsonSchema;

/** What is said of a field. Only a type knows `value`, which is what the field holds. */
export interface Field<Value = unknown, Optional extends boolean = boolean> {
  /** May be left out. */
  readonly optional: Optional;
  readonly schema: (reference: Reference) => JsonSchema;
  /** Classes the schema refers to; asked for late, because they may refer to one another. */
  readonly example: (exampleOf: (type: PayloadClass) => unknown) => unknown;
  readonly value?: Value;
}

export interface Property extends Field {
  readonly name: string;
}

const properties = new WeakMap<object, Property[]>();

type Fields = Readonly<Record<string, Field>>;

/** The object that has these fields. */
type Payload<F extends Fields> = {
  [Name in keyof F as F[Name] extends Field<unknown, false> ? Name : never]: ValueOf<F[Name]>;
} & { [Name in keyof F as F[Name] extends Field<unknown, true> ? Name : never]?: ValueOf<F[Name]> };
type ValueOf<F extends Field> = F extends Field<infer Value> ? Value : never;

/** What a payload class extends: an object of these fields. */
export const payload = <F extends Fields>(fields: F): PayloadClass<Payload<F>> => extendPayload(Object, fields);

/** The same with the fields of another payload class before them. */
export function extendPayload<Base extends object, F extends Fields>(
  base: PayloadClass<Base>,
  fields: F,
): PayloadClass<Base & Payload<F>> {
  const type = class extends base {};
  properties.set(
    type.prototype,
    Object.entries(fields).map(([name, field]) => ({ ...field, name })),
  );
  return type as PayloadClass;
}

/** A field of a class that has more than fields: the decorator of one member. */
export function property(field: Field): PropertyDecorator {
  return (target, key) => {
    const own = properties.get(target) ?? [];
    own.push({ ...field, name: String(key) });
    properties.set(target, own);
  };
}

/** Fields of a class, those of its base classes first; a field that is declared again keeps its place. */
export function propertiesOf(type: PayloadClass): Property[] {
  const byName = new Map<string, Property>();
  const chain: object[] = [];
  for (let at: object | null = type.prototype; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    chain.unshift(at);
  }
  for (const prototype of chain) for (const each of properties.get(prototype) ?? []) byName.set(each.name, each);
  if (byName.size === 0) throw new Error(`${type.name} describes no fields`);
  return [...byName.values()];
}

/** In a class of its own, fields of its base class that may be left out there. */
export function leaveOut(type: PayloadClass, names: readonly string[]): void {
  const own = propertiesOf(type).filter(({ name }) => names.includes(name));
  if (own.length !== names.length) throw new Error(`${type.name} has not all of ${names.join(', ')}`);
  properties.set(
    type.prototype,
    own.map((field) => ({ ...field, optional: true })),
  );
}

/** A field whose schema refers to no other class. */
export const plainField = <Value>(schema: JsonSchema): Field<Value, false> => ({
  optional: false,
  schema: () => schema,
  example: () => plainExample(schema),
});
export const optionalField = <Value>(schema: JsonSchema): Field<Value, true> => ({
  ...plainField<Value>(schema),
  optional: true,
});

/** An example of a schema without references: the one it names, else one that its own limits allow. */
export function plainExample(schema: JsonSchema): unknown {
  const { examples, enum: choices, default: fallback, minimum, oneOf } = schema;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if (fallback !== undefined) return fallback;
  if (Array.isArray(choices)) return choices[0];
  if (Array.isArray(oneOf)) return plainExample(oneOf[0] as JsonSchema);
  const type = Array.isArray(schema.type) ? (schema.type as unknown[])[0] : schema.type;
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? minimum : 0;
  if (type === 'boolean') return false;
  if (type === 'array') return [];
  return null;
}
