import type { Behaviour } from './behaviour.js';
import { envelopesAs, idsAsText, idsWithText, inOtherOrder, withNullError, withoutLast } from './forms.js';
import { closesConnections, compressed, REFUSED_IN_A_ROW, rateLimit, slow, truncates } from './pace.js';
import { after, always, fromRequest, longLists, untilRequest } from './questions.js';
import { type Refusing, refuses } from './refusing.js';

/** What nodes of both families do. Limits and words are those of providers and node programs. */
const lists = (name: string, most: number, refusing: Refusing): Behaviour => ({
  ...{ name: `lists: ${name}`, family: 'both', cost: { list: Math.max(1, most) } },
  rule: refuses(longLists(most), { shape: 'object', ...refusing }),
});

const limited = (name: string, most: number, refusing: Refusing, calls = false): Behaviour => ({
  ...{ name: `rate: ${name}`, family: 'both', cost: { served: calls ? 0.5 : most / (most + REFUSED_IN_A_ROW) } },
  rule: rateLimit(most, { shape: 'object', ...refusing }, calls ? 'calls' : 'requests'),
});

/** For good, however often it is asked. */
export const ANSWERS_NOTHING = { blocks: null, logs: null, receipts: null, state: null, slots: null } as const;

const never = (name: string, after: number, refusing: Refusing): Behaviour => ({
  ...{ name: `plan: ${name}`, family: 'both', only: ANSWERS_NOTHING },
  rule: refuses(fromRequest(after), { shape: 'object', ...refusing }),
});

const fails = (name: string, up: number, down: number, refusing: Refusing): Behaviour => ({
  ...{ name: `health: ${name}`, family: 'both', cost: { served: up / (up + down) } },
  rule: refuses(after(up, down), { shape: 'object', ...refusing }),
});

// biome-ignore format: one line a behaviour
export const SHARED_BEHAVIOURS: readonly Behaviour[] = [
  lists('dRPC free, bare object', 3, { status: 500, shape: 'bare', code: 31, message: 'Batch of more than 3 requests are not allowed on free tier' }),
  lists('dRPC free, each call', 3, { status: 500, shape: 'list', code: 31, message: 'Batch of more than 3 requests are not allowed on free tier, to use this feature register paid account at drpc.org' }),
  lists('proxyd', 10, { code: -32014, message: 'too many RPC calls in batch request' }),
  lists('Erigon', 20, { code: -32000, message: 'batch limit 20 exceeded (can increase by --rpc.batch.limit). Requested batch of size: 40' }),
  lists('Besu', 15, { code: -32005, message: 'Number of requests in batch exceeds limit' }),
  lists('Reth, none', 0, { code: -32005, message: 'Batched requests are not supported by this server' }),
  lists('Hedera relay, none', 0, { code: -32202, message: 'Batch requests are disabled' }),
  lists('Helius free, none', 0, { status: 403, code: -32403, message: 'Batch requests are only available for paid plans. Please upgrade if you would like to gain access' }),
  lists('a gateway, 429', 5, { status: 429, code: -32005, message: 'too many requests in one batch' }),
  lists('nginx, body too long', 12, { status: 413, text: '<html><head><title>413 Request Entity Too Large</title></head></html>' }),
  lists('Erigon of old, cuts the connection', 8, { without: 'reset' }),
  lists('each call refused with 200', 6, { shape: 'list', code: -32600, message: 'MAX BATCH LENGTH IS SIX' }),

  limited('Alchemy, compute units', 12, { status: 429, code: 429, message: 'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message.' }),
  limited('Infura, backoff', 15, { status: 429, code: -32005, message: 'project ID request rate exceeded', data: { rate: { allowed_rps: 15, backoff_seconds: 0.05 }, backoff_seconds: 0.05 } }),
  limited('Infura, 200', 15, { code: -32005, message: 'Too Many Requests' }),
  limited('QuickNode', 10, { code: -32007, message: '10/second request limit reached - reduce calls per second' }),
  limited('QuickNode, each call', 10, { shape: 'list', code: -32007, message: '10/second request limit reached - reduce calls per second or upgrade your account at quicknode.com' }),
  limited('OnFinality', 12, { status: 429, code: -32029, message: 'Too Many Requests, Please apply an OnFinality API key or contact us to receive a higher rate limit' }),
  limited('Cloudflare', 10, { status: 429, text: 'error code: 1015' }),
  limited('with Retry-After', 10, { status: 429, text: 'slow down', headers: { 'retry-after': '0' } }),
  limited('503 with Retry-After', 10, { status: 503, text: 'busy', headers: { 'retry-after': '0' } }),
  limited('calls of lists count', 60, { status: 429, code: 15, message: 'Too many requests, reduce calls per second or upgrade your plan' }, true),

  never('Alchemy, month used up', 4, { status: 429, code: 429, message: 'Monthly capacity limit exceeded. Visit https://dashboard.alchemy.com/settings/billing to upgrade your scaling policy for continued service.' }),
  never('Infura, day used up', 4, { status: 402, code: -32005, message: 'daily request count exceeded, request rate limited' }),
  never('GetBlock, payment', 0, { status: 402, text: 'Payment Required' }),
  never('Ankr, no key', 0, { status: 403, code: -32000, message: 'Unauthorized: You must authenticate your request with an API key.' }),
  never('quota with 403', 6, { status: 403, code: -32003, message: 'daily request limit reached - upgrade your account' }),

  fails('dRPC, now and then', 6, 1, { status: 500, code: 19, message: 'Temporary internal error. Please retry, trace-id: 7f3a5bd0' }),
  fails('nginx, 502 for a while', 30, 8, { status: 502, text: '<html><head><title>502 Bad Gateway</title></head></html>' }),
  fails('proxyd, no backend', 12, 2, { status: 503, code: -32011, message: 'no backend is currently healthy to serve traffic' }),
  fails('resets connections', 9, 1, { without: 'reset' }),
  fails('ends answers early', 9, 1, { without: 'cut' }),
  { name: 'health: down at the start', family: 'both', rule: refuses(untilRequest(6), { status: 503, text: 'starting' }) },
  { name: 'health: never answers anything', family: 'both', only: ANSWERS_NOTHING, rule: refuses(always, { without: 'silence' }) },
  { name: 'pace: slow', family: 'both', rule: slow(2, 25) },
  { name: 'pace: compressed', family: 'both', rule: compressed() },
  { name: 'pace: a connection for each answer', family: 'both', rule: closesConnections() },
  { name: 'pace: long lists end in the middle', family: 'both', cost: { list: 4 }, rule: truncates(50_000) },

  { name: 'form: ids as text', family: 'both', rule: envelopesAs(idsAsText) },
  { name: 'form: ids with leading text', family: 'both', rule: envelopesAs(idsWithText) },
  { name: 'form: lists in another order', family: 'both', rule: envelopesAs(inOtherOrder) },
  { name: 'form: the last answer of a list is missing', family: 'both', cost: { list: 1 }, rule: envelopesAs(withoutLast) },
  { name: 'form: error null next to a result', family: 'both', rule: envelopesAs(withNullError) },
];
