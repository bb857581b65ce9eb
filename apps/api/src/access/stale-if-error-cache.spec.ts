import { StoreError } from '#libs/pipeline/store/store-error.js';
import { Answer } from '#libs/serve/http/answer.js';
import { StaleIfErrorCache } from './stale-if-error-cache.js';

/** How long a copy is served while the tables do not answer. */
describe('last good answers', () => {
  let at = 0;
  let served = 0;
  const copies = new StaleIfErrorCache(() => at);
  const failing = () => Promise.reject(new StoreError('store_failed', 'connection refused'));
  const ask = (key: string, work: () => Answer | Promise<Answer>) => copies.or(key, work, () => void served++);

  it('serves the newest copy for two minutes, then the failure, then answers again', async () => {
    const [first, second] = [Answer.json({ n: 1 }), Answer.json({ n: 2 })];
    await expect(ask('/a', failing)).rejects.toThrow(StoreError);
    expect(await ask('/a', () => first)).toBe(first);
    expect(await ask('/a', () => second)).toBe(second);
    for (at of [0, 60_000, 120_000]) expect(await ask('/a', failing)).toBe(second);
    await expect(ask('/b', failing)).rejects.toThrow(StoreError);
    at = 120_001;
    await expect(ask('/a', failing)).rejects.toThrow(StoreError);
    expect(served).toBe(3);
    expect(await ask('/a', () => first)).toBe(first);
    expect(await ask('/a', failing)).toBe(first);
  });

  it('keeps no refusals, no streams and nothing that is another one a moment later', async () => {
    const fleeting = Answer.untagged({ now: 1 });
    expect(await ask('/c', () => fleeting)).toBe(fleeting);
    await expect(ask('/c', failing)).rejects.toThrow(StoreError);
    await ask('/d', () => Answer.json({}));
    const refused = new Error('refused');
    await expect(ask('/d', () => Promise.reject(refused))).rejects.toBe(refused);
  });

  it('forgets the oldest when there are too many', async () => {
    for (let n = 0; n <= 5_000; n++) await ask(`/n/${n}`, () => Answer.json({ n }));
    await expect(ask('/n/0', failing)).rejects.toThrow(StoreError);
    expect(await ask('/n/5000', failing)).toBeInstanceOf(Answer);
    const large = (megabytes: number) => new Answer('x'.repeat(megabytes * 1024 * 1024), 'application/json', 'W/"x"');
    await ask('/large', () => large(33));
    await expect(ask('/large', failing)).rejects.toThrow(StoreError);
    await ask('/17', () => large(17));
    await ask('/16', () => large(16));
    await expect(ask('/17', failing)).rejects.toThrow(StoreError);
    await expect(ask('/n/5000', failing)).rejects.toThrow(StoreError);
    expect(await ask('/16', failing)).toBeInstanceOf(Answer);
  });
});
