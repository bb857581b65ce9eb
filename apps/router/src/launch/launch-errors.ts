import { chainSlugs } from '#libs/chain/chains/registry.js';
import type { DeclaredError } from '#libs/serve/contract/route-declaration.js';
import { requestCut } from '../hosts/host-errors.js';

/** How the launch routes refuse, as they declare it. */
const launchBadRequestError: DeclaredError = {
  status: 400,
  code: 'bad_request',
  meaning:
    'a field is missing or wrong, or what it names does not do: the image, or the node at `rpcUrl`; the message names the field and the rule.',
  example: 'rpcUrl: the address is not a public one',
};

export const unknownChain: DeclaredError = {
  status: 400,
  code: 'bad_request',
  meaning: 'no such chain; the message names the valid ones.',
  example: `unknown chain "foo": use one of ${chainSlugs.join(', ')}`,
};

export const createErrors: readonly DeclaredError[] = [
  launchBadRequestError,
  {
    status: 409,
    code: 'simulation_failed',
    meaning: 'it would fail at the head; the message says why.',
    example: 'the simulation at the head failed: curve.Slippage',
  },
  {
    status: 422,
    code: 'insufficient_funds',
    meaning: 'the creator does not have what it costs; the message has the figures.',
    example: 'the creator has 5000 lamports and needs 9515000',
  },
  {
    status: 429,
    code: 'rate_limited',
    meaning: 'more than 10 creates of one client (the account, or the address where accounts are off) in a minute.',
    example: 'a client may create 10 tokens a minute: try again in 42 s',
    retry: true,
  },
  {
    status: 501,
    code: 'not_wired',
    meaning: 'the launchpad has no builder here, or does not stand on the chain of the node.',
    example: 'the launchpad has no builder: creates on this chain work on others',
  },
  {
    status: 503,
    code: 'not_ready',
    meaning: 'this instance cannot keep the metadata now; nothing was built.',
    example: 'the log does not take the metadata now: try again',
    retry: true,
  },
  requestCut,
];

export const unknownFile: DeclaredError = {
  status: 404,
  code: 'not_found',
  meaning: 'no such file.',
  example: 'there is no file "abc.json"',
};
