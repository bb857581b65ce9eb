import { ApiError } from '#libs/serve/client/api-error.js';
import { RouterError } from '#libs/serve/client/router-error.js';
import { routerWords } from './router-words.js';

const refused = (code: string, message: string, status: number, reasons: string[] = [], id: string | null = 'r-1') =>
  routerWords(new RouterError(code, message, status, null, id, reasons, null));

it.each([
  ['quote_moved', 409, 'renew'],
  ['quote_expired', 409, 'renew'],
  ['no_route', 404, 'change'],
  ['insufficient_funds', 422, 'change'],
  ['rpc', 503, 'wait'],
] as const)('%s with %i is for %s', (code, status, remedy) => {
  const words = refused(code, 'raise the slippage', status);
  expect(words).toMatchObject({ remedy, lines: ['raise the slippage.'] });
  expect(words.title).not.toContain('refuses');
});

it('lists every reason of a router that is not ready', () =>
  expect(refused('not_ready', '', 503, ['eth: no fresh block head', 'bsc: no RPC.'])).toMatchObject({
    lines: ['eth: no fresh block head.', 'bsc: no RPC.'],
    remedy: 'wait',
  }));

it('says what a time-out is', () => expect(refused('rpc', 'request_timeout', 503).lines[0]).toContain('ten seconds'));

it('names the request where the code is a new one', () =>
  expect(refused('new_code', 'odd', 422)).toMatchObject({ lines: ['odd.', 'Request r-1.'], remedy: 'change' }));

it('tells silence from slowness', () => {
  expect(routerWords(new ApiError('network', 'x')).title).toContain('reached');
  expect(routerWords(new ApiError('timeout', 'x')).title).toContain('long');
});
