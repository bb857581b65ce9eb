import { HealthBody } from './rest/health-body.js';
import { declareRoute } from './route-declaration.js';

/** What every program answers to anyone, at no price, with an ETag. */
const open = { method: 'GET', errors: [], access: 'open', cost: 'free', cache: 'tagged' } as const;

export const declareHealth = (id: string, path: string) =>
  declareRoute({ ...open, id, path, summary: 'Liveness', answer: HealthBody });

/** The OpenAPI document of a program. */
export const declareDocument = (id: string, title: string) =>
  declareRoute({
    ...open,
    id,
    path: '/openapi.yaml',
    summary: 'This document',
    answer: {
      mediaType: 'application/yaml',
      description: 'OpenAPI 3.1, YAML.',
      example: { openapi: '3.1.0', info: { title, version: '1.0.0' }, paths: {} },
    },
  });
