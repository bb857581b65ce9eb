import { Module, type ModuleMetadata, type Provider, type Type } from '@nestjs/common';
import type { RouteDeclaration } from '#libs/serve/contract/route-declaration.js';
import { declarationOf, type RouteHandler, routeOfHandler } from './declared-route.js';
import type { HttpRoute } from './routes.js';

export type FeatureClass = Type<unknown>;

export interface RouteFeatureParts extends Pick<ModuleMetadata, 'imports' | 'providers' | 'exports'> {
  /** Providers that handle one declared route each. */
  readonly routes?: readonly Type<RouteHandler>[];
}

const routesOf = new WeakMap<object, readonly Type<RouteHandler>[]>();

/** A Nest module that says which routes it brings. */
export function RouteFeature({ routes = [], providers = [], exports = [], ...rest }: RouteFeatureParts) {
  return (type: FeatureClass): void => {
    Module({ ...rest, providers: [...providers, ...routes], exports: [...exports, ...routes] })(type);
    routesOf.set(type, routes);
  };
}

/** The handlers of features, in their order: what a listener serves. */
export const routeClasses = (features: readonly FeatureClass[]): Type<RouteHandler>[] =>
  features.flatMap((feature) => {
    const routes = routesOf.get(feature);
    if (routes === undefined) throw new Error(`${feature.name} is not declared as a feature`);
    return routes;
  });

/** The declarations of features, in their order: what a document describes. */
export const declaredRoutes = (features: readonly FeatureClass[]): RouteDeclaration[] =>
  routeClasses(features).map(declarationOf);

/** Provides the routes of handlers that are providers of the same module, for a listener of that module. */
export const routesProvider = (token: symbol, types: readonly Type<RouteHandler>[]): Provider => ({
  provide: token,
  inject: [...types],
  useFactory: (...handlers: RouteHandler[]): HttpRoute[] =>
    types.map((type, index) => routeOfHandler(type, handlers[index]!)),
});
