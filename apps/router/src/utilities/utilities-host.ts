import type { Type } from '@nestjs/common';
import type { RouteHandler } from '#libs/serve/http/declared-route.js';
import type { DescribedHost } from '../hosts/host-documents.js';
import { ConsolidateRoute } from './consolidate.route.js';
import { SolQuoteRoute } from './quote.route.js';

export const utilitiesHost: DescribedHost = {
  title: 'Tidepool Solana utilities',
  tag: 'utilities',
  description:
    'Prices of tokens in SOL, and unsigned transactions that bring the coins of several wallets to one. Errors are `{success: false, error: {code, message}}`. A known path with another method answers 405 with `Allow` and an empty body.',
};

/** The routes of the utilities' listener, in addition to those that every host has. */
export const utilitiesRoutes: readonly Type<RouteHandler>[] = [
  SolQuoteRoute,
  ConsolidateRoute,
] as readonly Type<RouteHandler>[];
