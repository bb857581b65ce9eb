import { Module, type Provider, type Type } from '@nestjs/common';
import { declarationOf, type RouteHandler } from '#libs/http/declared-route.js';
import type { RouteDeclaration } from '#libs/http/route-declaration.js';
import type { ChannelDeclaration } from '#libs/live/channel-declaration.js';
import { channelDeclarationOf, type LiveChannel } from './live-channel.js';

export type FeatureClass = Type<unknown>;

export interface FeatureParts {
  /** Providers that handle one declared route each. */
  readonly routes?: readonly Type<RouteHandler>[];
  /** Providers that are one declared live channel each. */
  readonly channels?: readonly Type<LiveChannel>[];
  /** What they share among themselves. */
  readonly providers?: readonly Provider[];
}

const partsOf = new WeakMap<object, FeatureParts>();

/** A Nest module that says which routes and channels it brings. */
export function Feature(parts: FeatureParts): ClassDecorator {
  const { routes = [], channels = [], providers = [] } = parts;
  return (type) => {
    const handlers = [...routes, ...channels];
    Module({ providers: [...providers, ...handlers], exports: handlers })(type);
    partsOf.set(type, parts);
  };
}

const allOf = (features: readonly FeatureClass[]): FeatureParts[] =>
  features.map((feature) => {
    const parts = partsOf.get(feature);
    if (parts === undefined) throw new Error(`${feature.name} is not declared as a feature`);
    return parts;
  });

export const routeClasses = (features: readonly FeatureClass[]): Type<RouteHandler>[] =>
  allOf(features).flatMap(({ routes = [] }) => routes);

export const channelClasses = (features: readonly FeatureClass[]): Type<LiveChannel>[] =>
  allOf(features).flatMap(({ channels = [] }) => channels);

export const declaredRoutes = (features: readonly FeatureClass[]): RouteDeclaration[] =>
  routeClasses(features).map(declarationOf);

export const declaredChannels = (features: readonly FeatureClass[]): ChannelDeclaration[] =>
  channelClasses(features).map(channelDeclarationOf);
