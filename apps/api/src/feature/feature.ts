import type { Provider, Type } from '@nestjs/common';
import type { ChannelDeclaration } from '#libs/serve/contract/channel-declaration.js';
import type { RouteHandler } from '#libs/serve/http/declared-route.js';
import { type FeatureClass, RouteFeature } from '#libs/serve/http/route-feature.js';
import { channelDeclarationOf, type LiveChannel } from './live-channel.js';

export interface FeatureParts {
  /** Providers that handle one declared route each. */
  readonly routes?: readonly Type<RouteHandler>[];
  /** Providers that are one declared live channel each. */
  readonly channels?: readonly Type<LiveChannel>[];
  /** What they share among themselves. */
  readonly providers?: readonly Provider[];
  /** Of these, what other features may use. */
  readonly shared?: readonly Type<unknown>[];
  /** Features whose shared providers these use. */
  readonly imports?: readonly FeatureClass[];
}

const channelsOf = new WeakMap<object, readonly Type<LiveChannel>[]>();

/** A Nest module that says which routes and channels it brings. */
export function Feature({ routes = [], channels = [], providers = [], shared = [], imports = [] }: FeatureParts) {
  return (type: FeatureClass): void => {
    const exports = [...channels, ...shared];
    RouteFeature({ routes, imports: [...imports], providers: [...providers, ...channels], exports })(type);
    channelsOf.set(type, channels);
  };
}

export const channelClasses = (features: readonly FeatureClass[]): Type<LiveChannel>[] =>
  features.flatMap((feature) => channelsOf.get(feature) ?? []);

export const declaredChannels = (features: readonly FeatureClass[]): ChannelDeclaration[] =>
  channelClasses(features).map(channelDeclarationOf);
