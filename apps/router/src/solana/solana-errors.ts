import { randomUUID } from 'node:crypto';
import { SolErrorBody, SolLowLiquidityBody, SolNotReadyBody } from '#libs/serve/contract/rest/solana/error-body.js';
import type { DeclaredError } from '#libs/serve/contract/route-declaration.js';
import { HttpProblem } from '#libs/serve/http/problem.js';
import {
  insufficientFunds,
  noRoute,
  quoteExpired,
  quoteMismatch,
  quoteMoved,
  routerBadRequestError,
  rpc,
  simulationFailedError,
  unknownDex,
  zeroAmount,
} from '../http/router-errors.js';
import { asProblem } from '../http/router-problem.js';

/** The errors of the Solana routes: the router's closed list, with the id of the quote once the parameters were read. */
const withBody = (error: DeclaredError): DeclaredError => ({ ...error, body: SolErrorBody });

const unsupported: DeclaredError = withBody({
  status: 400,
  code: 'unsupported',
  meaning: 'another version of transactions, or a way to pay that no build knows.',
  example: 'txVersion must be 1: transactions are v1',
});

const parameterErrors: readonly DeclaredError[] = [
  ...[routerBadRequestError, zeroAmount, unknownDex].map(withBody),
  unsupported,
];

const lowLiquidity: DeclaredError = {
  ...{ status: 422, code: 'low_liquidity', body: SolLowLiquidityBody },
  meaning: 'routes exist, but none takes the amount; `liquidity` says how much would have one.',
  example: 'routes exist, but none of them takes that much: ask for at most 250000000000 base units',
};

const solanaNotReadyError: DeclaredError = {
  ...{ status: 503, code: 'not_ready', body: SolNotReadyBody, retry: true },
  meaning:
    'Solana cannot be served now, or builds are refused while the swap program is paused; `reasons` has every reason.',
  example: 'the swap program is paused',
};

export const quoteErrors: readonly DeclaredError[] = [
  ...parameterErrors,
  withBody({
    ...noRoute,
    example: 'no pools lead from one token to the other within 3 hops: check the mints, or allow more hops or venues',
  }),
  ...[lowLiquidity, solanaNotReadyError, withBody(rpc)],
];

export const buildErrors: readonly DeclaredError[] = [
  ...[routerBadRequestError, quoteMismatch].map(withBody),
  unsupported,
  ...[quoteExpired, simulationFailedError, quoteMoved].map(withBody),
  withBody({ ...insufficientFunds, example: 'the wallet holds 0 base units of the input and needs 1000000000' }),
  ...[solanaNotReadyError, withBody(rpc)],
];

export const receiptErrors: readonly DeclaredError[] = [withBody(routerBadRequestError)];

export const transactionErrors: readonly DeclaredError[] = [
  withBody(routerBadRequestError),
  solanaNotReadyError,
  withBody(rpc),
];

/** The same refusal with the id of the quote; any other error is returned as it is. */
export function withQuoteId(error: unknown, quoteId: string = randomUUID()): unknown {
  const problem = asProblem(error);
  if (!(problem instanceof HttpProblem)) return problem;
  const { status, code, message, headers, details } = problem;
  return new HttpProblem(status, code, message, headers, { ...details, quoteId });
}
