import type { RouteDeclaration } from '../route-declaration.js';

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
  'ratelimit-limit': {
    description: 'Requests a second that the account of the key may send; absent where it has no limit.',
    schema: { type: 'integer', minimum: 1 },
  },
  'ratelimit-remaining': {
    description: 'Requests that it may send at once now: up to two seconds’ worth after it was idle.',
    schema: { type: 'integer', minimum: 0 },
  },
  'ratelimit-reset': {
    description: 'Seconds until two seconds’ worth may be sent at once again.',
    schema: { type: 'integer', minimum: 0 },
  },
  'x-credits-remaining': {
    description: 'Credits that the account has left after this request; `unlimited` where its plan counts none.',
    schema: { type: 'string', pattern: '^(unlimited|\\d+)$' },
  },
  'retry-after': {
    description: 'Seconds after which the same request is worth another try.',
    schema: { type: 'integer', minimum: 1 },
  },
};

const ALWAYS = ['x-request-id', 'access-control-allow-origin', 'access-control-expose-headers'];
/** What every answer to a keyed request says of its account, once the key is known. */
export const OF_THE_ACCOUNT = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'x-credits-remaining'];
const REQUIRED = new Set(ALWAYS);

export const declaredHeaders = (): object =>
  Object.fromEntries(
    Object.entries(described).map(([name, header]) => [name, { ...header, required: REQUIRED.has(name) }]),
  );

/** References to the headers of an answer of this route; of a refusal without one. */
export function answerHeaders(route: RouteDeclaration | null, more: readonly string[] = []): object {
  const names = [...ALWAYS, ...more];
  if (route !== null) {
    const { cache, access } = route;
    if (access === 'keyed') names.push(...OF_THE_ACCOUNT);
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
