import { Answer } from '#libs/serve/http/answer.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { ChainUnavailableError } from '#libs/serve/reader/unavailable.js';
import { AnswerCache } from './answer-cache.js';
import { ReadyAnswers } from './ready-answers.js';

/** When an answer is given again without asking its route. */
describe('ready answers', () => {
  const place = { epoch: 1, generation: 1, seq: 7, sealSeq: 5, sealedTime: 300 };
  const now = { ...place, about: 1, signature: 'a', served: true };
  const viewOf = (chain: string, { about, signature: _, served: __, ...pin } = now): ChainView =>
    ({ chain: { slug: chain }, pin, about: { version: about } }) as unknown as ChainView;
  let cache: AnswerCache;
  let ready: ReadyAnswers;
  beforeEach(() => {
    Object.assign(now, { ...place, about: 1, signature: 'a', served: true });
    const cursors = {
      get signature() {
        return now.signature;
      },
    };
    cache = new AnswerCache('1', cursors);
    ready = new ReadyAnswers(cache, (chain) => {
      if (!now.served) throw new ChainUnavailableError(chain, 'it is starting');
      return viewOf(chain);
    });
  });
  const make = (request: string, views = [viewOf('eth')]) => cache.answer(views, request, async () => ({ request }));
  const keep = async (target: string, views?: ChainView[]): Promise<Answer> => {
    const answer = await make(target, views);
    ready.put(target, { answer, copyKey: `copy of ${target}` });
    return answer;
  };

  it('are those of the same target, until something changes that they follow from', async () => {
    const changes = [{ seq: 8 }, { generation: 2 }, { epoch: 2 }, { about: 2 }, { signature: 'b' }];
    for (const change of [...changes, { sealSeq: 6 }, { sealedTime: 600 }]) {
      const answer = await keep('/a');
      expect(ready.find('/a')).toEqual({ answer, copyKey: 'copy of /a' });
      expect(ready.find('/a?')).toBeNull();
      const before = { ...now };
      Object.assign(now, change);
      expect({ change, found: ready.find('/a') }).toEqual({ change, found: null });
      // What has changed once is not brought back.
      Object.assign(now, before);
      expect(ready.find('/a')).toBeNull();
    }
  });

  it('are of the newest view of every chain that they have, else not kept', async () => {
    await keep('/old', [viewOf('eth', { ...now, seq: 6 })]);
    await keep('/mixed', [viewOf('eth'), viewOf('bsc', { ...now, seq: 6 })]);
    expect([ready.find('/old'), ready.find('/mixed')]).toEqual([null, null]);
    const both = await keep('/both', [viewOf('eth'), viewOf('bsc')]);
    expect(ready.find('/both')?.answer).toBe(both);
    ready.put('/made', { answer: Answer.json({}), copyKey: '' });
    expect(ready.find('/made')).toBeNull();
  });

  it('of one request at one block differ where what is sealed does, for their cursors name it', async () => {
    const made = (change: object) =>
      cache.answer(viewOf('eth', { ...now, ...change }), 'page', async () => ({ change }));
    const sealed = { sealSeq: 7, sealedTime: 600 };
    for (const change of [{}, sealed, {}, sealed]) {
      expect(JSON.parse((await made(change)).body.toString())).toEqual({ change });
    }
    expect((await made({})).etag).not.toBe((await made(sealed)).etag);
  });

  it('are left to the route while a chain cannot be served', async () => {
    await keep('/a');
    now.served = false;
    expect(ready.find('/a')).toBeNull();
    await keep('/b');
    now.served = true;
    expect(ready.find('/b')).toBeNull();
  });

  it('are bounded: a long target is not kept, and the oldest go first', async () => {
    const long = `/${'x'.repeat(1_024)}`;
    await keep(long);
    expect(ready.find(long)).toBeNull();
    for (let n = 0; n <= 5_000; n++) await keep(`/${n}`);
    expect(ready.find('/0')).toBeNull();
    expect(ready.find('/5000')).not.toBeNull();
    const wide = (n: number) => cache.answer([viewOf('eth')], `wide ${n}`, async () => 'x'.repeat(12 * 1024 * 1024));
    for (let n = 0; n < 3; n++) ready.put(`/wide/${n}`, { answer: await wide(n), copyKey: '' });
    expect([ready.find('/wide/0'), ready.find('/5000')]).toEqual([null, null]);
    expect(ready.find('/wide/2')).not.toBeNull();
  });
});
