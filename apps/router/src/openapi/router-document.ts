import 'reflect-metadata';
import { Controller, Get, HttpCode, Module, Post, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  ApiBody,
  ApiExtraModels,
  ApiOperation,
  ApiResponse,
  ApiSecurity,
  ApiTags,
  DocumentBuilder,
  getSchemaPath,
  SwaggerModule,
} from '@nestjs/swagger';
import { stringify } from 'yaml';
import { queryParameters } from '#libs/http/openapi-parameters.js';
import { toOpenApi31 } from '#libs/http/to-openapi-31.js';
import { ErrorBody } from '#libs/protocol/rest/error-body.js';
import { EvmErrorBody, EvmLowLiquidityBody, EvmNotReadyBody } from '#libs/protocol/rest/evm/error-body.js';
import { EvmReadyBody } from '#libs/protocol/rest/evm/ready-body.js';
import { ReadyBody } from '#libs/protocol/rest/health-body.js';
import { type Operation, routerOperations } from './router-operations.js';

interface ErrorOf {
  description: string;
  bodies: readonly Type<object>[];
}

const ERRORS: Record<number, ErrorOf> = {
  400: {
    description:
      '`bad_request`, `zero_amount`, `unknown_dex`, `unsupported` or `quote_mismatch`: the reason names the field and the rule.',
    bodies: [EvmErrorBody],
  },
  401: { description: '`unauthorized`: the key is missing or unknown.', bodies: [ErrorBody] },
  404: { description: '`no_route`: no pools lead from one token to the other.', bodies: [EvmErrorBody] },
  409: {
    description:
      '`quote_expired`, `simulation_failed` or `quote_moved`: ask for a new quote, or see what the reason says.',
    bodies: [EvmErrorBody],
  },
  413: { description: '`too_large`: the body is larger than 262,144 bytes.', bodies: [EvmErrorBody] },
  422: {
    description:
      '`low_liquidity`, with how much would have a route, and for builds `insufficient_funds`, `fee_on_transfer` or `token_not_transferable`: waiting does not help.',
    bodies: [EvmLowLiquidityBody, EvmErrorBody],
  },
  503: {
    description: '`not_ready`, with every reason, or `rpc`; `Retry-After` says when to try again.',
    bodies: [EvmNotReadyBody, EvmErrorBody],
  },
};

/** The OpenAPI 3.1 document of the router, as YAML, made from the payload classes. */
export async function routerDocument(): Promise<string> {
  const controller = documentController();
  class DocumentModule {}
  Module({ controllers: [controller] })(DocumentModule);
  const app = await NestFactory.create(DocumentModule, new FastifyAdapter(), { logger: false });
  try {
    const config = new DocumentBuilder()
      .setTitle('Tidepool router')
      .setDescription(
        'Quotes swaps and builds unsigned transactions; it never signs and never sends. Amounts are decimal strings in base units. Errors are `{error, reason}` with `error` one of a closed list; key errors are `{error: {code, message}}`. A known path with another method answers 405 with `Allow` and an empty body.',
      )
      .setVersion('1.0.0')
      .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
      .addApiKey({ type: 'apiKey', in: 'header', name: 'x-api-key' }, 'header')
      .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'API key' }, 'bearer')
      .addApiKey({ type: 'apiKey', in: 'query', name: 'apiKey' }, 'query')
      .addServer('/')
      .build();
    const document = SwaggerModule.createDocument(app, config, { operationIdFactory: (_controller, method) => method });
    return stringify(toOpenApi31(document), { lineWidth: 0 });
  } finally {
    await app.close();
  }
}

/** A controller that exists only to be described. */
function documentController(): Type<object> {
  class Router {}
  for (const operation of routerOperations) {
    Object.defineProperty(Router.prototype, operation.id, { value: () => undefined, configurable: true });
    const descriptor = Object.getOwnPropertyDescriptor(Router.prototype, operation.id)!;
    for (const decorate of decorators(operation)) decorate(Router.prototype, operation.id, descriptor);
  }
  const bodies = Object.values(ERRORS).flatMap((error) => error.bodies);
  ApiExtraModels(...bodies, ...routerOperations.flatMap(({ body }) => body ?? []))(Router);
  ApiTags('router')(Router);
  Controller()(Router);
  return Router;
}

function decorators(operation: Operation): MethodDecorator[] {
  const { method, path, summary, description, query, body, answer, errors } = operation;
  const made: MethodDecorator[] = [ApiOperation({ summary, description, operationId: operation.id })];
  made.push(...(method === 'GET' ? [Get(path)] : [Post(path), HttpCode(200)]));
  if (query) made.push(...queryParameters(query));
  if (body) made.push(ApiBody({ required: true, schema: oneOf(body) }));
  if (answer === null) {
    made.push(ApiResponse({ status: 200, description: 'OpenAPI 3.1, YAML.', content: { 'application/yaml': {} } }));
  } else made.push(ApiResponse({ status: 200, description: 'OK', type: answer }));
  if (answer === ReadyBody || answer === EvmReadyBody) {
    made.push(ApiResponse({ status: 503, description: 'No chain can trade.', type: answer }));
  }
  for (const status of errors) {
    const { description: meaning, bodies } = ERRORS[status]!;
    made.push(ApiResponse({ status, description: meaning, schema: oneOf(bodies) }));
  }
  if (!operation.open) for (const scheme of ['header', 'bearer', 'query']) made.push(ApiSecurity(scheme));
  return made;
}

function oneOf(types: readonly Type<object>[]) {
  const schemas = types.map((type) => ({ $ref: getSchemaPath(type) }));
  return schemas.length === 1 ? schemas[0]! : { oneOf: schemas };
}
