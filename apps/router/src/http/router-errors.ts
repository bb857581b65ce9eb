import { keyErrors, largeBody, requestErrors } from '#libs/serve/contract/listener-errors.js';
import { ErrorBody } from '#libs/serve/contract/rest/error-body.js';
import { EvmLowLiquidityBody, EvmNotReadyBody } from '#libs/serve/contract/rest/evm/error-body.js';
import type { DeclaredError } from '#libs/serve/contract/route-declaration.js';

/** How requests of the router are refused, as routes declare it: each once. */
const error = (status: number, code: string, meaning: string, example: string): DeclaredError => ({
  ...{ status, code, meaning, example },
});

export const routerBadRequestError = error(
  400,
  'bad_request',
  'a field is missing or wrong; the reason names it and the rule.',
  'amount must be a whole number of base units',
);
export const zeroAmount = error(400, 'zero_amount', 'the amount is 0.', 'amount must be above 0');
export const unknownDex = error(
  400,
  'unknown_dex',
  'no venue of the chain has a name in `dexes`.',
  'dexes names no venue of this chain: its venues are those of the venue list',
);
const unsupported = error(
  400,
  'unsupported',
  'exact outputs and platform fees are not served.',
  'swapMode must be ExactIn: the EVM routes quote exact inputs only',
);
export const quoteMismatch = error(
  400,
  'quote_mismatch',
  'the quote is not the one that was answered under its id.',
  'quoteResponse is not the quote that was answered: outAmount differs',
);

/** What is wrong with the parameters of a quote. */
export const refusedParameters = [routerBadRequestError, zeroAmount, unknownDex, unsupported];

export const noRoute = error(
  404,
  'no_route',
  'no pools lead from one token to the other.',
  'no pools of one venue lead from one token to the other within 3 hops: check the mints, or allow more hops or venues',
);

export const quoteExpired = error(
  409,
  'quote_expired',
  'this quote is unknown here or has expired: ask for a new one.',
  'this quote is unknown here or has expired: ask for a new one',
);
export const simulationFailedError = error(
  409,
  'simulation_failed',
  'it would revert at the head; the reason says why.',
  'the simulation at the head failed: execution reverted',
);
export const quoteMoved = error(
  409,
  'quote_moved',
  'the pools moved past the floor: ask for a new quote.',
  'the pools moved: at the head the route gives 995, below the floor of 1000; ask for a new quote or raise slippageBps',
);

export const lowLiquidity: DeclaredError = {
  ...error(
    422,
    'low_liquidity',
    'routes exist, but none takes the amount; `liquidity` says how much would have one.',
    'routes exist, but none of them takes that much: ask for at most 250000000000000000000 base units',
  ),
  body: EvmLowLiquidityBody,
};
export const insufficientFunds = error(
  422,
  'insufficient_funds',
  'the wallet does not hold what goes in.',
  'the wallet has 0 wei of the native coin and needs 1000000000000000000',
);
export const feeOnTransfer = error(
  422,
  'fee_on_transfer',
  'the token takes a tax, which this venue cannot settle.',
  'a token takes a tax on transfers (of 1000 sent 950 arrive), which V3 pools do not support; quote it on a V2 venue',
);
export const notTransferable = error(
  422,
  'token_not_transferable',
  'the token refuses the transfer.',
  'a token refuses the transfer from the wallet to the pool: transfers are paused',
);

export const routerNotReadyError: DeclaredError = {
  ...error(503, 'not_ready', 'the chain cannot trade now; `reasons` has every reason.', 'no venue verified yet'),
  body: EvmNotReadyBody,
  retry: true,
};
export const rpc: DeclaredError = {
  ...error(
    503,
    'rpc',
    'a node did not answer, or the request was cut after 10 s (`request_timeout`).',
    'request_timeout',
  ),
  retry: true,
};

/** As the market-data API has them. */
export const routerKeyErrors: readonly DeclaredError[] = keyErrors.map((refused) => ({ ...refused, body: ErrorBody }));

export const bodyErrors: readonly DeclaredError[] = [
  largeBody,
  {
    ...error(503, 'rpc', 'the request did not arrive within 10 s (`request_timeout`).', 'request_timeout'),
    retry: true,
  },
];

/** What any request may be answered, whatever its route. */
export const commonErrors: readonly DeclaredError[] = [
  ...requestErrors,
  error(
    500,
    'internal',
    'a bug of ours; the reason has the id of the request.',
    'internal error; tell the operator the request id 5c0f6d1e-8a2b-4c39-9d53-0e2f7b6a1c44',
  ),
];
