import 'reflect-metadata';
import { Injectable, type Type } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type CacheRule, declareRoute, type RouteDeclaration } from '#libs/serve/contract/route-declaration.js';
import { ParameterReader } from '#libs/serve/contract/schema/parameter-reader.js';
import type { Answer } from './answer.js';
import { badRequest } from './problem.js';
import type { HttpRoute } from './routes.js';
import type { StreamAnswer } from './stream-answer.js';

export interface RouteInput<Path extends object, Query extends object> {
  readonly path: Path;
  readonly query: Query;
}

export type RouteReply = Answer | StreamAnswer | Promise<Answer | StreamAnswer>;

export interface RouteHandler<Path extends object = object, Query extends object = object> {
  handle(input: RouteInput<Path, Query>, request: FastifyRequest): RouteReply;
}

// biome-ignore lint/suspicious/noExplicitAny: what a provider is made with is the container's business
type HandlerClass<Path extends object, Query extends object> = new (...given: any[]) => RouteHandler<Path, Query>;

const declarations = new WeakMap<object, RouteDeclaration>();

/** Declares the route that a Nest provider handles. */
export function Route<Path extends object = object, Query extends object = object>(
  declaration: RouteDeclaration<Path, Query>,
) {
  return (type: HandlerClass<Path, Query>): void => {
    Injectable()(type);
    declarations.set(type, declareRoute(declaration) as RouteDeclaration);
  };
}

/** What a class was declared with. */
export function declarationOf(type: Type<unknown>): RouteDeclaration {
  const declaration = declarations.get(type);
  if (declaration === undefined) throw new Error(`${type.name} declares no route`);
  return declaration;
}

export interface RouteRules {
  /** Query parameters that every route refuses unless its class has them, with the reason. */
  readonly refused?: Readonly<Record<string, string>>;
}

const CACHE_CONTROL: Readonly<Record<CacheRule, string | null>> = {
  'no-store': 'no-store',
  revalidate: 'private, no-cache',
  none: null,
  tagged: null,
};

/** A declared route as the listener takes it: its parameters are read and checked before its handler runs. */
export function routeOf<Path extends object, Query extends object>(
  declaration: RouteDeclaration<Path, Query>,
  handle: RouteHandler<Path, Query>['handle'],
  { refused = {} }: RouteRules = {},
): HttpRoute {
  const { method, path, access, cache, readsItself = false } = declaration;
  const route = { method, path, open: access === 'open', cacheControl: CACHE_CONTROL[cache] };
  const declared = declaration as RouteDeclaration;
  const pathReader = declaration.parameters && new ParameterReader<Path>(declaration.parameters);
  const queryReader = declaration.query && !readsItself ? new ParameterReader<Query>(declaration.query) : undefined;
  const notTaken = Object.entries(refused).filter(([name]) => queryReader?.takes(name) !== true);
  const checked = access === 'keyed' && notTaken.length > 0;
  if (pathReader === undefined && queryReader === undefined && !checked) {
    const nothing = { path: {} as Path, query: {} as Query };
    return { ...route, declaration: declared, handle: (request) => handle(nothing, request) };
  }
  return {
    ...route,
    declaration: declared,
    handle: (request) => {
      const given = request.query as Record<string, unknown>;
      if (checked) {
        for (const [name, reason] of notTaken) if (given[name] !== undefined) throw badRequest(reason);
      }
      const read =
        pathReader === undefined ? ({} as Path) : accepted(pathReader.read(request.params as object as Given));
      const query = queryReader === undefined ? ({} as Query) : accepted(queryReader.read(given));
      return handle({ path: read, query }, request);
    },
  };
}

type Given = Record<string, unknown>;

function accepted<T>(outcome: { value: T } | { problem: string }): T {
  if ('problem' in outcome) throw badRequest(outcome.problem);
  return outcome.value;
}

/** The route of a handler class, with an instance that the container made. */
export const routeOfHandler = (type: Type<RouteHandler>, handler: RouteHandler, rules?: RouteRules): HttpRoute =>
  routeOf(declarationOf(type), handler.handle.bind(handler), rules);
