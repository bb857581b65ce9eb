import { HealthBody } from './rest/health-body.js';
import { declareRoute } from './route-declaration.js';

/** What a program answers to anyone, at no price, with an ETag. */
export const openRoute = { method: 'GET', errors: [], access: 'open', cost: 'free', cache: 'tagged' } as const;

/** What a program says of itself to those with a key. */
export const statusRoute = { method: 'GET', errors: [], access: 'keyed', cost: 'status', cache: 'tagged' } as const;

/** What builds something of a JSON body, for one caller and one moment. */
export const buildRoute = {
  method: 'POST',
  readsItself: true,
  access: 'keyed',
  cost: 'build',
  cache: 'no-store',
} as const;

export const declareHealth = (id: string, path: string) =>
  declareRoute({ ...openRoute, id, path, summary: 'Liveness', answer: HealthBody });

/** The OpenAPI document of a program. */
export const declareDocument = (id: string, title: string) =>
  declareRoute({
    ...openRoute,
    id,
    path: '/openapi.yaml',
    summary: 'This document',
    answer: {
      mediaType: 'application/yaml',
      description: 'OpenAPI 3.1, YAML.',
      example: { openapi: '3.1.0', info: { title, version: '1.0.0' }, paths: {} },
    },
  });
