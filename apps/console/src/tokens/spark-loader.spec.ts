import { jest } from '@jest/globals';
import { ApiError } from '#libs/serve/client/api-error.js';
import type { RestClient } from '#libs/serve/client/rest-client.js';
import { followSpark } from './spark-loader.js';

type Answer = readonly (number | null)[] | ApiError;

/** Answers in turn; the last one again and again. */
function service(...answers: Answer[]) {
  const asked: string[] = [];
  const rest = {
    candles: async (_chain: string, address: string) => {
      asked.push(address);
      const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
      if (answer instanceof ApiError) throw answer;
      return { data: answer.map((close) => ({ close })) };
    },
  } as unknown as RestClient;
  return { asked, rest };
}

describe('the small lines', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());
  const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms).then(() => undefined);

  it('are asked for once, handed to a second row without asking, and asked again when they are old', async () => {
    const { asked, rest } = service([1, null, 2], [3, 4]);
    const seen: (readonly number[])[] = [];
    const stop = followSpark(rest, 'eth', '0x1', (points) => void seen.push(points));
    await pass(0);
    const stopSecond = followSpark(rest, 'eth', '0x1', (points) => void seen.push(points));
    expect(seen).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(asked).toHaveLength(1);
    stopSecond();
    await pass(5 * 60_000);
    expect(seen.at(-1)).toEqual([3, 4]);
    stop();
    await pass(60 * 60_000);
    expect(asked).toHaveLength(2);
  });

  it('come after requests that failed for a passing reason, not before the service asks for them', async () => {
    const { asked, rest } = service(
      new ApiError('network', 'no answer'),
      new ApiError('rate_limited', 'slow', 429, 60),
      [1],
    );
    const seen: (readonly number[])[] = [];
    const stop = followSpark(rest, 'eth', '0x2', (points) => void seen.push(points));
    await pass(10_000);
    expect(asked).toHaveLength(2);
    await pass(54_000);
    expect(asked).toHaveLength(2);
    await pass(2_000);
    expect(seen).toEqual([[1]]);
    stop();
  });

  it('come once a token without candles has some, asked for ever more rarely', async () => {
    const { asked, rest } = service([], [null], [], [7]);
    const seen: (readonly number[])[] = [];
    const stop = followSpark(rest, 'eth', '0x3', (points) => void seen.push(points));
    await pass(36_000);
    expect(asked).toHaveLength(4);
    expect(seen.at(-1)).toEqual([7]);
    stop();
  });

  it('are not asked for again where the service refuses, nor by a row that is gone', async () => {
    const refused = service(new ApiError('token_not_found', 'no such token', 404));
    followSpark(refused.rest, 'eth', '0x4', () => undefined);
    await pass(60 * 60_000);
    expect(refused.asked).toHaveLength(1);
    const gone = service([]);
    followSpark(gone.rest, 'eth', '0x5', () => undefined)();
    await pass(60 * 60_000);
    expect(gone.asked).toHaveLength(1);
  });
});
