import { jest } from '@jest/globals';
import { answeredWithin, NoAnswerError } from './answer-limit.js';
import { leave } from './kafka-client.js';

const never = new Promise<never>(() => undefined);

it('gives an answer and a failure on', async () => {
  await expect(answeredWithin(60_000, 'broker', Promise.resolve(7))).resolves.toBe(7);
  await expect(answeredWithin(60_000, 'broker', Promise.reject(new Error('refused')))).rejects.toThrow('refused');
});

it.each([-3_600_000, 3_600_000])('ends a wait although the wall clock stepped by %d ms meanwhile', async (step) => {
  const now = Date.now();
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now + step);
  try {
    await expect(answeredWithin(20, 'broker', never)).rejects.toBeInstanceOf(NoAnswerError);
    await expect(answeredWithin(60_000, 'broker', Promise.resolve('in time'))).resolves.toBe('in time');
  } finally {
    clock.mockRestore();
  }
});

it('leaves a client that waits for ever for what it asked, and says so', async () => {
  const notices: string[] = [];
  await leave({ disconnect: () => never }, (message) => void notices.push(message), 20);
  await leave({ disconnect: () => Promise.reject(new Error('broken pipe')) }, (message) => void notices.push(message));
  expect(notices).toEqual([
    'disconnecting failed: disconnecting: no answer within 0.02 s',
    'disconnecting failed: broken pipe',
  ]);
});
