import type { RouteDeclaration } from './route-declaration.js';

/** The headers of answers, each described once; an answer names those it has. */
const described: Readonly<Record<string, { description: string; schema: object }>> = {
  'x-request-id': {
    description: 'Id of the request: the one it carried as `x-request-id`, or a new one. Operators find it in the log.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,64}$' },
  },
  'access-control-allow-origin': {
    description: 'Every origin may read the answer.',
    schema: { type: 'string', enum: ['*'] },
  },
  'access-control-expose-headers': {
    description: 'The headers that a page of another origin may read.',
    schema: { type: 'string' },
  },
  etag: {
    description: 'Weak tag of the answer: send it back as `If-None-Match` and an unchanged answer is a 304.',
    schema: { type: 'string', pattern: '^W/"[A-Za-z0-9_-]+"$' },
  },
  'cache-control': { description: 'How long the answer may be kept.', schema: { type: 'string' } },
  vary: { description: 'The request headers on which the form of the answer depends.', schema: { type: 'string' } },
  'content-encoding': {
    description: 'br or gzip, where the client accepts one of them and the answer is worth it.',
    schema: { type: 'string', enum: ['br', 'gzip'] },
  },
  allow: { description: 'The methods of the path.', schema: { type: 'string' } },
  'retry-after': {
    description: 'Seconds after which the same request is worth another try.',
    schema: { type: 'integer', minimum: 1 },
  },
};

const ALWAYS = ['x-request-id', 'access-control-allow-origin', 'access-control-expose-headers'];
const REQUIRED = new Set(ALWAYS);

export const declaredHeaders = (): object =>
  Object.fromEntries(
    Object.entries(described).map(([name, header]) => [name, { ...header, required: REQUIRED.has(name) }]),
  );

/** References to the headers of an answer of this route; of a refusal without one. */
export function answerHeaders(route: RouteDeclaration | null, more: readonly string[] = []): object {
  const names = [...ALWAYS, ...more];
  if (route !== null) {
    const { cache } = route;
    if (cache === 'tagged' || cache === 'revalidate') names.push('etag', 'vary', 'content-encoding');
    if (cache === 'no-store' || cache === 'revalidate') names.push('cache-control');
  }
  const references = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  const own = Object.entries(route?.headers ?? {}).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return Object.fromEntries([...references, ...own]);
}
