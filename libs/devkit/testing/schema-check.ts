/**
 * Whether a value is what the OpenAPI document says, down to the last field: every required field present, no field that
 * is not documented. Knows the parts of JSON Schema that the document uses, and refuses any other.
 */
type Schema = Record<string, unknown>;

const KNOWN = new Set([
  ...['$ref', 'type', 'properties', 'required', 'items', 'enum', 'anyOf', 'oneOf', 'allOf', 'additionalProperties'],
  ...['description', 'examples', 'default', 'minimum', 'maximum', 'format', 'pattern', 'minLength', 'maxLength'],
  ...['minItems', 'maxItems'],
]);

export function schemaProblems(document: Schema, schema: Schema, value: unknown, path = '$'): string[] {
  for (const key of Object.keys(schema)) if (!KNOWN.has(key)) throw new Error(`${path}: schema uses ${key}`);
  const follow = (next: unknown) => schemaProblems(document, next as Schema, value, path);
  if (typeof schema.$ref === 'string') return follow(resolve(document, schema.$ref));
  if (Array.isArray(schema.allOf)) return schema.allOf.flatMap(follow);
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) {
    const outcomes = choices.map(follow);
    return outcomes.some((problems) => problems.length === 0) ? [] : outcomes.flat();
  }
  if (Array.isArray(schema.enum) && !schema.enum.includes(value))
    return [`${path}: ${String(value)} is not in the list`];
  // A schema without a type takes any value.
  if (schema.type === undefined) return [];
  const types = [schema.type].flat() as string[];
  if (!types.some((type) => isOf(type, value, schema)))
    return [`${path}: ${typeOf(value)} instead of ${types.join(' or ')}`];
  if (typeof value === 'string' && typeof schema.pattern === 'string' && !new RegExp(schema.pattern).test(value)) {
    return [`${path}: ${value} does not match ${schema.pattern}`];
  }
  if (Array.isArray(value)) {
    const { minItems = 0, maxItems = value.length } = schema as { minItems?: number; maxItems?: number };
    if (value.length < minItems || value.length > maxItems) return [`${path}: a list of ${value.length} items`];
    return value.flatMap((item, index) => schemaProblems(document, schema.items as Schema, item, `${path}[${index}]`));
  }
  if (typeof value !== 'object' || value === null) return [];
  return objectProblems(document, schema, value as Record<string, unknown>, path);
}

function objectProblems(document: Schema, schema: Schema, value: Record<string, unknown>, path: string): string[] {
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const missing = ((schema.required ?? []) as string[]).filter((name) => !Object.hasOwn(value, name));
  const problems = missing.map((name) => `${path}.${name} is missing`);
  for (const [name, member] of Object.entries(value)) {
    const inner = properties[name] ?? (schema.additionalProperties as Schema | true | undefined);
    if (inner === true) continue;
    if (inner === undefined) problems.push(`${path}.${name} is not documented`);
    else problems.push(...schemaProblems(document, inner, member, `${path}.${name}`));
  }
  return problems;
}

function resolve(document: Schema, ref: string): unknown {
  const found = ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((at, part) => (at as Schema | undefined)?.[part], document);
  if (found === undefined) throw new Error(`${ref} leads nowhere`);
  return found;
}

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

/** An integer is exact as a number, unless the document says that it may have 64 bits. */
function isOf(type: string, value: unknown, { format }: Schema): boolean {
  if (type === 'integer') return format === 'uint64' ? Number.isInteger(value) : Number.isSafeInteger(value);
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value);
  return typeOf(value) === type;
}

/**
 * What is wrong with the examples of an OpenAPI document: every parameter, body and answer has one that its schema takes. A
 * parameter with a list of values or a default needs none.
 */
export function invalidExamples(document: Schema): { compared: number; problems: string[] } {
  const problems: string[] = [];
  let compared = 0;
  const check = (place: string, schema: Schema, examples: readonly unknown[]) => {
    compared++;
    const found = examples.flatMap((example) => schemaProblems(document, schema, example));
    if (examples.length === 0) found.push('has no example');
    problems.push(...found.map((problem) => `${place}: ${problem}`));
  };
  const checkContent = (place: string, holder: Schema | undefined) => {
    for (const [type, media] of Object.entries((holder?.content ?? {}) as Record<string, Schema>)) {
      check(`${place} ${type}`, media.schema as Schema, examplesOf(media));
    }
  };
  for (const [path, methods] of Object.entries(document.paths as Record<string, Record<string, Schema>>)) {
    for (const [method, operation] of Object.entries(methods)) {
      const place = `${method} ${path}`;
      for (const parameter of (operation.parameters ?? []) as Schema[]) {
        const schema = parameter.schema as Schema;
        if (!('enum' in schema || 'default' in schema)) {
          check(`${place} ${String(parameter.name)}`, schema, examplesOf(parameter));
        }
      }
      checkContent(`${place} body`, operation.requestBody as Schema | undefined);
      for (const [status, answer] of Object.entries(operation.responses as Record<string, Schema>)) {
        checkContent(`${place} ${status}`, answer);
      }
    }
  }
  return { compared, problems };
}

function examplesOf(holder: Schema): unknown[] {
  if (Object.hasOwn(holder, 'example')) return [holder.example];
  return Object.values((holder.examples ?? {}) as Record<string, { value: unknown }>).map(({ value }) => value);
}
