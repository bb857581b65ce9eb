import { stringify } from 'yaml';
import { callPrice, type Prices, standardPrices } from '#libs/protocol/accounts/prices.js';
import {
  type JsonSchema,
  type PayloadClass,
  plainExample,
  propertiesOf,
  VALUES,
} from '#libs/serve/contract/schema/property.js';
import { exampleOf, SchemaComponents } from '#libs/serve/contract/schema/schema-components.js';
import { type CostClass, type DeclaredError, isTextAnswer, type RouteDeclaration } from '../route-declaration.js';
import { answerHeaders, declaredHeaders, OF_THE_ACCOUNT } from './openapi-headers.js';

export interface DescribedListener {
  title: string;
  tag: string;
  description: string;
  /** Every path answers under each of these. */
  servers: readonly string[];
  routes: readonly RouteDeclaration[];
  /** How any request may be refused, whatever its route. */
  errors: readonly DeclaredError[];
  /** How a keyed one may be refused besides. */
  keyErrors: readonly DeclaredError[];
  /** How one with a body may be refused besides. */
  bodyErrors: readonly DeclaredError[];
  /** The body of an error that names none. */
  errorBody: PayloadClass;
  /** What a request of each class costs, in credits. */
  prices?: Prices;
  /** Lists that fields name as their values. */
  values?: Readonly<Record<string, readonly string[]>>;
}

/** The OpenAPI 3.1 document of one listener, as YAML, made from the declarations of its routes. Version 1.0.0. */
export function openApiDocument(listener: DescribedListener): string {
  const components = new SchemaComponents();
  const ids = new Set<string>();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of listener.routes) {
    if (ids.has(route.id)) throw new Error(`two routes are called ${route.id}`);
    ids.add(route.id);
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, listener, components) };
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: listener.title,
      description: listener.description,
      version: '1.0.0',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: listener.servers.map((url) => ({ url })),
    tags: [{ name: listener.tag }],
    paths,
    components: {
      securitySchemes: {
        header: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'API key' },
        query: { type: 'apiKey', in: 'query', name: 'apiKey' },
      },
      headers: declaredHeaders(),
      responses: {
        methodNotAllowed: {
          description: 'The path has no such method; `Allow` names those it has. The body is empty.',
          headers: answerHeaders(null, ['allow']),
        },
      },
      schemas: components.all(),
    },
  };
  return stringify(withValues(document, listener.values ?? {}), { lineWidth: 0, aliasDuplicateObjects: false });
}

/** The same with the enumeration in the place of each named list. */
function withValues(node: unknown, values: Readonly<Record<string, readonly string[]>>): unknown {
  if (Array.isArray(node)) return node.map((item) => withValues(item, values));
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    if (key !== VALUES) copy[key] = withValues(value, values);
    else if (values[String(value)] === undefined) throw new Error(`nobody gives the values of ${String(value)}`);
    else copy.enum = [...values[String(value)]!];
  }
  return copy;
}

function operationOf(route: RouteDeclaration, listener: DescribedListener, components: SchemaComponents) {
  const { id, summary, description, body, access, cost } = route;
  const parameters = [
    ...parametersOf(route.parameters, 'path'),
    ...parametersOf(route.query, 'query'),
    ...(route.described ?? []).map(({ in: place, name, schema }) => parameterOf(place, name, schema, true)),
  ];
  return {
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [listener.tag],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: bodyOf(body, components) }),
    responses: {
      ...joined(answersOf(route, components), refusalsOf(route, listener, components)),
      405: { $ref: '#/components/responses/methodNotAllowed' },
    },
    security: access === 'open' ? [] : [{ header: [] }, { bearer: [] }, { query: [] }],
    'x-cost-class': cost,
    ...(access === 'open' ? {} : { 'x-credits': creditsOf(route, listener.prices ?? standardPrices) }),
  };
}

/** Of a stream also what each started minute of it costs, of calls what those of some methods do. */
function creditsOf({ cost, callCosts = {} }: RouteDeclaration, prices: Prices): object {
  if (cost === 'stream') return { request: prices.stream, minute: prices.minute };
  const methods = Object.entries(callCosts).flatMap(([name, called]) =>
    called.map((method) => [method, callPrice(prices, cost, name as CostClass)] as const),
  );
  return { request: prices[cost], ...(methods.length === 0 ? {} : { methods: Object.fromEntries(methods) }) };
}

function parametersOf(type: PayloadClass | undefined, place: 'path' | 'query'): object[] {
  if (type === undefined) return [];
  return propertiesOf(type).map(({ name, optional, schema }) => {
    const described = schema(() => {
      throw new Error(`${type.name}.${name}: a parameter is plain`);
    });
    return parameterOf(place, name, described, optional);
  });
}

/** Of a field with alternatives a parameter can carry the first. */
function parameterOf(place: string, name: string, described: JsonSchema, optional: boolean): object {
  const { description, examples, oneOf, ...rest } = described;
  const schema = Array.isArray(oneOf) ? { ...(oneOf[0] as object), ...rest } : rest;
  const example = plainExample(described);
  return {
    name,
    in: place,
    required: place === 'path' || !optional,
    ...(description === undefined ? {} : { description }),
    schema,
    ...(examples === undefined ? {} : { example }),
  };
}

function bodyOf(types: readonly PayloadClass[], { reference }: SchemaComponents): object {
  return {
    required: true,
    content: { 'application/json': { schema: oneOf(types.map(reference)), example: exampleOf(types[0]!) } },
  };
}

function answersOf(route: RouteDeclaration, { reference }: SchemaComponents): Record<string, object> {
  const { answer, also = {} } = route;
  const headers = answerHeaders(route);
  const good = isTextAnswer(answer)
    ? {
        description: answer.description,
        headers,
        content: Object.fromEntries(
          [answer.mediaType, ...(answer.orMediaTypes ?? [])].map((type) => [
            type,
            {
              // YAML is read as the value that it encodes.
              schema:
                answer.schema ??
                (type.endsWith('yaml') ? { type: 'object', additionalProperties: true } : { type: 'string' }),
              ...(answer.example === undefined ? {} : { example: answer.example }),
            },
          ]),
        ),
      }
    : { description: 'OK', headers, content: jsonOf(reference(answer), exampleOf(answer)) };
  const others = Object.entries(also).map(([status, { type, description }]): [string, object] => [
    status,
    type === null
      ? { description, headers }
      : { description, headers, content: jsonOf(reference(type), exampleOf(type)) },
  ]);
  const kept = route.cache === 'tagged' || route.cache === 'revalidate';
  const unchanged = { description: 'Unchanged: `If-None-Match` names the ETag of the answer.', headers };
  return { 200: good, ...(kept ? { 304: unchanged } : {}), ...Object.fromEntries(others) };
}

/** The refusals of a route by status: each code with its meaning. */
function refusalsOf(
  route: RouteDeclaration,
  { errors, keyErrors, bodyErrors, errorBody: usual }: DescribedListener,
  { reference }: SchemaComponents,
): Record<string, object> {
  const own = route.errorBody;
  const errorBody = own ?? usual;
  const declared = [
    ...route.errors,
    ...(route.access === 'keyed' ? keyErrors : []),
    ...(route.method === 'POST' ? bodyErrors : []),
    ...errors,
  ];
  const all = own === undefined ? declared : declared.map((error) => ({ ...error, body: own }));
  const byStatus = new Map<number, DeclaredError[]>();
  for (const error of all) byStatus.set(error.status, [...(byStatus.get(error.status) ?? []), error]);
  const refusals = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    refusals.map(([status, declared]) => {
      const ofTheAccount = route.access === 'keyed' && status !== 401 ? OF_THE_ACCOUNT : [];
      const meanings = declared.map(({ code, meaning }) => `\`${code}\`: ${meaning}`);
      const retry = declared.some((error) => error.retry === true);
      const types = [...new Set(declared.map(({ body = errorBody }) => body))];
      const answer = {
        description: [...new Set(meanings)].join('\n\n'),
        headers: answerHeaders(null, [...ofTheAccount, ...(retry ? ['retry-after'] : [])]),
        content: {
          'application/json': { schema: oneOf(types.map(reference)), examples: refusalExamples(declared, errorBody) },
        },
      };
      return [status, answer];
    }),
  );
}

/** A body of each refusal, by its code; the first of those that share one. */
function refusalExamples(declared: readonly DeclaredError[], errorBody: PayloadClass): Record<string, object> {
  const examples: Record<string, object> = {};
  for (const { code, example, body = errorBody } of declared) {
    examples[code] ??= { value: refusalBody(exampleOf(body) as Record<string, unknown>, code, example) };
  }
  return examples;
}

/** The kinds of error body: `{error: {code, message}}`, `{error, reason}` with whatever else it has, and that of a chart's feed. */
function refusalBody(example: Record<string, unknown>, code: string, message: string): object {
  const { error } = example;
  if (typeof error === 'object') return { ...example, error: { ...error, code, message } };
  if ('errmsg' in example) return { ...example, errmsg: message };
  if ('reasons' in example) return { ...example, error: code, reasons: [message] };
  return { ...example, error: code, reason: message };
}

interface Described {
  description: string;
  headers: object;
  content?: Record<string, { schema: JsonSchema; example?: unknown; examples?: Record<string, object> }>;
}

/** Answers and refusals by status; where a status is both, either body may come. */
function joined(answers: Record<string, object>, refusals: Record<string, object>): Record<string, object> {
  const all: Record<string, object> = { ...answers, ...refusals };
  for (const [status, answer] of Object.entries(answers) as [string, Described][]) {
    const refusal = refusals[status] as Described | undefined;
    if (refusal === undefined) continue;
    const schemas = [answer, refusal].flatMap(({ content }): JsonSchema[] => {
      const schema = content?.['application/json']?.schema;
      return schema === undefined ? [] : [schema];
    });
    const { example } = answer.content?.['application/json'] ?? {};
    const answered = example === undefined ? {} : { answer: { value: example } };
    const examples = { ...answered, ...refusal.content?.['application/json']?.examples };
    all[status] = {
      description: `${answer.description}\n\n${refusal.description}`,
      headers: { ...answer.headers, ...refusal.headers },
      content: { 'application/json': { schema: oneOf(schemas), examples } },
    };
  }
  return all;
}

const jsonOf = (schema: JsonSchema, example: unknown) => ({ 'application/json': { schema, example } });

function oneOf(schemas: readonly JsonSchema[]): JsonSchema {
  return schemas.length === 1 ? schemas[0]! : { anyOf: schemas };
}
