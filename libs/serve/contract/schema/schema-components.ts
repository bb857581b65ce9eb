import { type JsonSchema, type PayloadClass, propertiesOf } from './property.js';

const PREFIX = '#/components/schemas/';

/** The payload classes that one document refers to, each once under its own name. Two classes of one name are refused. */
export class SchemaComponents {
  private readonly types = new Map<string, PayloadClass>();
  private readonly made = new Map<string, JsonSchema>();

  readonly reference = (type: PayloadClass): JsonSchema => {
    const known = this.types.get(type.name);
    if (known === undefined) {
      this.types.set(type.name, type);
      this.made.set(type.name, schemaOf(type, this.reference));
    } else if (known !== type) throw new Error(`two payload classes are called ${type.name}`);
    return { $ref: PREFIX + type.name };
  };

  /** By name. */
  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.made].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function schemaOf(type: PayloadClass, reference: (type: PayloadClass) => JsonSchema): JsonSchema {
  const fields = propertiesOf(type);
  const required = fields.filter(({ optional }) => !optional).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema(reference)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** A whole example of a class, put together from those of its fields; fields that may be left out are left out. */
export function exampleOf(type: PayloadClass): unknown {
  const fields = propertiesOf(type).filter(({ optional }) => !optional);
  return Object.fromEntries(fields.map(({ name, example }) => [name, example(exampleOf)]));
}
