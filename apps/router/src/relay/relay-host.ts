import type { Type } from '@nestjs/common';
import type { RouteHandler } from '#libs/serve/http/declared-route.js';
import type { DescribedHost } from '../hosts/host-documents.js';
import { BundleRoute } from './bundle.route.js';

export const relayHost: DescribedHost = {
  title: 'Tidepool bundle relay',
  tag: 'relay',
  description:
    'Passes bundles of signed Solana transactions on to a block engine, and pays the tip of those without one. Errors are `{success: false, error: {code, message}}`. A known path with another method answers 405 with `Allow` and an empty body.',
};

/** The routes of the relay's listener, in addition to those that every host has. */
export const relayRoutes: readonly Type<RouteHandler>[] = [BundleRoute];
