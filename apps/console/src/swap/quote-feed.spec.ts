import { jest } from '@jest/globals';
import { ApiError } from '#libs/serve/client/api-error.js';
import type { QuoteRequest } from '#libs/serve/client/router-client.js';
import { RouterError } from '#libs/serve/client/router-error.js';
import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import { QuoteFeed, REFRESH_MS, TYPING_MS } from './quote-feed.js';

interface Question {
  request: QuoteRequest;
  signal: AbortSignal;
  answer(outAmount: string): Promise<void>;
  fail(error: unknown): Promise<void>;
}

const of = (amount: string, outputMint = '0xb'): QuoteRequest => ({
  ...{ chain: 'eth', inputMint: '0xa', outputMint, amount },
});
const refused = (code: string, status: number, retryAfter: number | null = null) =>
  new RouterError(code, 'change it', status, retryAfter, null, [], null);

/** A router that answers when the test says so. */
describe('the feed of quotes', () => {
  let questions: Question[];
  let feed: QuoteFeed;
  const turns = () => jest.advanceTimersByTimeAsync(0);
  const out = () => feed.state.value.received?.quote.outAmount ?? null;

  beforeEach(() => {
    jest.useFakeTimers();
    questions = [];
    feed = new QuoteFeed({
      ask: (request, signal) =>
        new Promise<EvmQuote>((resolve, reject) => {
          questions.push({
            request,
            signal,
            answer: (outAmount) => {
              resolve({ outAmount } as EvmQuote);
              return turns();
            },
            fail: (error) => {
              reject(error);
              return turns();
            },
          });
        }),
      ended: (error) => error instanceof ApiError && error.status === 401,
    });
  });

  afterEach(() => {
    feed.stop();
    jest.useRealTimers();
  });

  it('asks at once, then every three seconds', async () => {
    feed.want(of('1'));
    await turns();
    expect(questions).toHaveLength(1);
    expect(feed.state.value).toMatchObject({ received: null, fresh: false });
    await questions[0]!.answer('10');
    expect(feed.state.value).toMatchObject({ fresh: true, error: null });
    await jest.advanceTimersByTimeAsync(REFRESH_MS - 1);
    expect(questions).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(questions).toHaveLength(2);
    expect(out()).toBe('10');
    await questions[1]!.answer('11');
    expect(out()).toBe('11');
  });

  it('asks once when the typing rests, and never takes an answer to an earlier question', async () => {
    feed.want(of('1'));
    await turns();
    feed.want(of('12'));
    await jest.advanceTimersByTimeAsync(TYPING_MS - 1);
    feed.want(of('123'));
    expect(questions[0]!.signal.aborted).toBe(true);
    await questions[0]!.answer('stale');
    expect(feed.state.value.received).toBeNull();
    await jest.advanceTimersByTimeAsync(TYPING_MS);
    expect(questions.map(({ request }) => request.amount)).toEqual(['1', '123']);
    await questions[1]!.answer('1230');
    expect(out()).toBe('1230');
  });

  it('keeps the last answer of a pair in sight, but not as an answer', async () => {
    feed.want(of('1'));
    await turns();
    await questions[0]!.answer('10');
    feed.want(of('2'));
    expect(feed.state.value).toMatchObject({ fresh: false, received: { quote: { outAmount: '10' } } });
    feed.want(of('2', '0xc'));
    expect(feed.state.value).toMatchObject({ fresh: false, received: null });
    feed.want(null);
    await jest.advanceTimersByTimeAsync(10 * REFRESH_MS);
    expect(questions).toHaveLength(1);
  });

  it('does not ask twice for the same', async () => {
    feed.want(of('1'));
    await turns();
    feed.want(of('1'));
    await turns();
    expect(questions).toHaveLength(1);
    expect(questions[0]!.signal.aborted).toBe(false);
  });

  it('drops the quote when it is refused, keeps it when there is no answer, and tries again with growing pauses', async () => {
    feed.want(of('1'));
    await turns();
    await questions[0]!.answer('10');
    await jest.advanceTimersByTimeAsync(REFRESH_MS);
    await questions[1]!.fail(new ApiError('network', 'away'));
    expect(feed.state.value).toMatchObject({ fresh: true, error: { code: 'network' } });
    expect(out()).toBe('10');
    await jest.advanceTimersByTimeAsync(REFRESH_MS);
    await questions[2]!.fail(refused('no_route', 404));
    expect(feed.state.value).toMatchObject({ fresh: false, received: null, error: { code: 'no_route' } });
    await jest.advanceTimersByTimeAsync(2 * REFRESH_MS - 1);
    expect(questions).toHaveLength(3);
    await jest.advanceTimersByTimeAsync(1);
    await questions[3]!.fail(refused('not_ready', 503, 60));
    await jest.advanceTimersByTimeAsync(59_999);
    expect(questions).toHaveLength(4);
    await jest.advanceTimersByTimeAsync(1);
    await questions[4]!.answer('12');
    expect(feed.state.value).toMatchObject({ fresh: true, error: null });
  });

  it('ends where the key is refused', async () => {
    feed.want(of('1'));
    await turns();
    await questions[0]!.fail(refused('unauthorized', 401));
    await jest.advanceTimersByTimeAsync(10 * REFRESH_MS);
    expect(questions).toHaveLength(1);
    expect(feed.state.value.error).toBeNull();
  });

  it('rests while it is paused, and asks at once afterwards', async () => {
    feed.want(of('1'));
    await turns();
    await questions[0]!.answer('10');
    feed.pause();
    await jest.advanceTimersByTimeAsync(10 * REFRESH_MS);
    expect(questions).toHaveLength(1);
    expect(out()).toBe('10');
    feed.resume();
    await turns();
    expect(questions).toHaveLength(2);
  });
});
