// Room: what clients see: declarations of routes and channels, payloads, and the generators of documents and types.
// May import protocol (its generators of documents also platform).

import type { CostClass } from '#libs/protocol/accounts/prices.js';
import type { JsonSchema, PayloadClass } from '#libs/serve/contract/schema/property.js';

/** What a request of the route costs; the price of each class belongs to the accounts. */
export type { CostClass } from '#libs/protocol/accounts/prices.js';

/**
 * What clients may keep. `tagged`: asked for again with its ETag. `revalidate`: the same, said in Cache-Control.
 * `no-store`: another answer a moment later. `none`: nothing is said.
 */
export type CacheRule = 'tagged' | 'revalidate' | 'no-store' | 'none';

/** One way in which a request is refused. */
export interface DeclaredError {
  readonly status: number;
  readonly code: string;
  /** When it comes and what to do. */
  readonly meaning: string;
  /** A message as a client gets it. */
  readonly example: string;
  /** Its body, where it is another one than the listener's ordinary error body. */
  readonly body?: PayloadClass;
  /** Whether `Retry-After` says when to come again. */
  readonly retry?: boolean;
}

/** An answer that is not JSON of a payload class. */
export interface TextAnswer {
  readonly mediaType: string;
  /** Others that an answer may have. */
  readonly orMediaTypes?: readonly string[];
  readonly description: string;
  /** A part of it; of YAML the value that it encodes. */
  readonly example?: string | object;
  /** Of a JSON answer that no payload class describes, such as a list without an envelope. */
  readonly schema?: JsonSchema;
}

/**
 * One route, declared once: the listener, the reading and checking of parameters, the OpenAPI document and the typed
 * client follow from it. `Path` and `Query` are classes with class-validator rules.
 */
export interface RouteDeclaration<Path extends object = object, Query extends object = object> {
  /** Name of the operation in the document and in the typed client. */
  readonly id: string;
  readonly method: 'GET' | 'POST';
  /** Each `:name` matches one non-empty segment. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: PayloadClass<Path>;
  readonly query?: PayloadClass<Query>;
  /** Alternatives of the JSON body. */
  readonly body?: readonly PayloadClass[];
  readonly answer: PayloadClass | TextAnswer;
  /** Further statuses that answer and refuse nothing, such as the 503 of a readiness route. */
  readonly also?: Readonly<Record<number, { readonly type: PayloadClass | null; readonly description: string }>>;
  /** What this route refuses; what every route of its listener refuses is declared with the listener. */
  readonly errors: readonly DeclaredError[];
  /** Body of every refusal, where it is another one than the listener's. */
  readonly errorBody?: PayloadClass;
  readonly access: 'open' | 'keyed';
  readonly cost: CostClass;
  /** Where a request holds calls of methods: those that cost something else than `cost`, by the class of what they cost. */
  readonly callCosts?: Readonly<Partial<Record<CostClass, readonly string[]>>>;
  readonly cache: CacheRule;
  /**
   * The handler reads query and body by itself, for instance because it answers repeated requests by their bytes; the
   * classes then describe what it takes.
   */
  readonly readsItself?: boolean;
  /** Headers of the answer beyond those that the cache rule and the listener bring, with what they say. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Parameters that the document shows although no class reads them. */
  readonly described?: readonly {
    readonly in: 'header' | 'query';
    readonly name: string;
    readonly schema: JsonSchema;
  }[];
}

export const declareRoute = <Path extends object = object, Query extends object = object>(
  declaration: RouteDeclaration<Path, Query>,
): RouteDeclaration<Path, Query> => {
  const named = [...declaration.path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
  if (named.length > 0 && declaration.parameters === undefined) {
    throw new Error(`route ${declaration.id}: ${declaration.path} names parameters that no class reads`);
  }
  return Object.freeze(declaration);
};

export const isTextAnswer = (answer: PayloadClass | TextAnswer): answer is TextAnswer => typeof answer !== 'function';
