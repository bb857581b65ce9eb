/**
 * Nest's Swagger module writes `nullable: true`, which OpenAPI 3.1 does not know: there null is a type like any other.
 */
export function toOpenApi31(document: object): object {
  const plain = convert(JSON.parse(JSON.stringify(document))) as Record<string, Record<string, unknown>>;
  const { contact: _contact, ...info } = plain.info!;
  return { openapi: '3.1.0', info, servers: plain.servers, paths: plain.paths, components: plain.components };
}

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert);
  if (value === null || typeof value !== 'object') return value;
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, convert(member)]),
  ) as Record<string, unknown>;
  if (nullable !== true) return rest;
  if (typeof rest.type === 'string' && rest.$ref === undefined && rest.allOf === undefined) {
    const choice = Array.isArray(rest.enum) ? { enum: [...rest.enum, null] } : {};
    return { ...rest, ...choice, type: [rest.type, 'null'] };
  }
  const { description, allOf, $ref, type: _object, ...others } = rest;
  const target = Array.isArray(allOf) ? allOf : [{ $ref }];
  return { ...(description === undefined ? {} : { description }), ...others, anyOf: [...target, { type: 'null' }] };
}
