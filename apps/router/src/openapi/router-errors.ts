import { largeBody, requestErrors } from '#libs/http/listener-errors.js';
import type { DeclaredError } from '#libs/http/route-declaration.js';
import { ErrorBody } from '#libs/protocol/rest/error-body.js';
import { EvmErrorBody, EvmLowLiquidityBody, EvmNotReadyBody } from '#libs/protocol/rest/evm/error-body.js';

/** How requests of the router are refused: each once, named by the routes that may. */
const error = (status: number, code: string, meaning: string): DeclaredError => ({ status, code, meaning });

export const badRequest = error(400, 'bad_request', 'a field is missing or wrong; the reason names it and the rule.');
export const zeroAmount = error(400, 'zero_amount', 'the amount is 0.');
export const unknownDex = error(400, 'unknown_dex', 'no venue of the chain has a name in `dexes`.');
export const unsupported = error(400, 'unsupported', 'exact outputs and platform fees are not served.');
export const quoteMismatch = error(400, 'quote_mismatch', 'the quote is not the one that was answered under its id.');

export const noRoute = error(404, 'no_route', 'no pools lead from one token to the other.');

export const quoteExpired = error(
  409,
  'quote_expired',
  'this quote is unknown here or has expired: ask for a new one.',
);
export const simulationFailed = error(409, 'simulation_failed', 'it would revert at the head; the reason says why.');
export const quoteMoved = error(409, 'quote_moved', 'the pools moved past the floor: ask for a new quote.');

export const lowLiquidity: DeclaredError = {
  ...error(422, 'low_liquidity', 'routes exist, but none takes the amount; `liquidity` says how much would have one.'),
  body: EvmLowLiquidityBody,
};
export const insufficientFunds = error(422, 'insufficient_funds', 'the wallet does not hold what goes in.');
export const feeOnTransfer = error(422, 'fee_on_transfer', 'the token takes a tax, which this venue cannot settle.');
export const notTransferable = error(422, 'token_not_transferable', 'the token refuses the transfer.');

export const notReady: DeclaredError = {
  ...error(503, 'not_ready', 'the chain cannot trade now; `reasons` has every reason.'),
  body: EvmNotReadyBody,
  retry: true,
};
export const rpc: DeclaredError = {
  ...error(503, 'rpc', 'a node did not answer, or the request was cut after 10 s (`request_timeout`).'),
  retry: true,
};

export const keyErrors: readonly DeclaredError[] = [
  { ...error(401, 'unauthorized', 'the key is missing or unknown.'), body: ErrorBody },
  {
    ...error(429, 'rate_limited', "over the key's rate; try again within a second."),
    body: ErrorBody,
    retry: true,
  },
];

export const bodyErrors: readonly DeclaredError[] = [
  largeBody,
  { ...error(503, 'rpc', 'the request did not arrive within 10 s (`request_timeout`).'), retry: true },
];

/** What any request may be answered, whatever its route. */
export const commonErrors: readonly DeclaredError[] = [
  ...requestErrors,
  error(500, 'internal', 'a bug of ours; the reason has the id of the request.'),
];

export const routerErrorBodyClass = EvmErrorBody;
