import { Get, HttpCode, Post, type Type } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { openApiDocument } from '#libs/http/openapi-document.js';
import { queryParameters } from '#libs/http/openapi-parameters.js';
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
export const routerDocument = (): Promise<string> =>
  openApiDocument({
    title: 'Tidepool router',
    tag: 'router',
    description:
      'Quotes swaps and builds unsigned transactions; it never signs and never sends. Amounts are decimal strings in base units. Errors are `{error, reason}` with `error` one of a closed list; key errors are `{error: {code, message}}`. A known path with another method answers 405 with `Allow` and an empty body.',
    servers: ['/'],
    operations: routerOperations,
    decorators,
    models: [
      ...Object.values(ERRORS).flatMap((error) => error.bodies),
      ...routerOperations.flatMap(({ body }) => body ?? []),
    ],
  });

function decorators(operation: Operation): MethodDecorator[] {
  const { method, path, summary, description, query, body, answer, errors } = operation;
  const made: MethodDecorator[] = [ApiOperation({ summary, description, operationId: operation.id })];
  made.push(...(method === 'GET' ? [Get(path)] : [Post(path), HttpCode(200)]));
  if (query) made.push(...queryParameters(query));
  if (body) made.push(ApiBody({ required: true, schema: oneOf(body) }));
  if (answer === ReadyBody || answer === EvmReadyBody) {
    made.push(ApiResponse({ status: 503, description: 'No chain can trade.', type: answer }));
  }
  for (const status of errors) {
    const { description: meaning, bodies } = ERRORS[status]!;
    made.push(ApiResponse({ status, description: meaning, schema: oneOf(bodies) }));
  }
  return made;
}

function oneOf(types: readonly Type<object>[]) {
  const schemas = types.map((type) => ({ $ref: getSchemaPath(type) }));
  return schemas.length === 1 ? schemas[0]! : { oneOf: schemas };
}
