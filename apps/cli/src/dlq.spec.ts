import { DeadLetters } from '#libs/pipeline/event-log/dead-letters.js';
import { filledFolder, removeFolders, tidepool, topic, whileRunning } from './test/cli-folder.js';

afterAll(removeFolders);

describe('dead letters', () => {
  const letter = {
    id: 'project.eth@1',
    stage: 'project.eth',
    chain: 'eth',
    topic: topic.name,
    seq: 1,
    reason: 'version 9',
    payload: null,
  };

  it('are listed, tried again, closed, and their stage goes on', async () => {
    const dir = await filledFolder(3);
    const restarted: string[] = [];
    const restartStage = async (name: string): Promise<boolean> => restarted.push(name) > 0;
    await whileRunning(dir, { restartStage }, async (log) => {
      expect((await tidepool(dir, 'dlq', 'ls')).out).toBe('no dead letters\n');
      const letters = new DeadLetters(log);
      await letters.add(letter);
      await letters.add(letter);
      await letters.add({
        ...letter,
        id: 'source.eth@log',
        stage: 'source.eth',
        topic: null,
        seq: null,
        payload: 'AAAA',
      });
      await letters.add({ ...letter, id: 'gone', seq: 99 });
      const listed = JSON.parse((await tidepool(dir, 'dlq', 'ls', '--json')).out).letters;
      expect(listed.map(({ id }: { id: string }) => id)).toEqual(['project.eth@1', 'source.eth@log', 'gone']);
      expect((await tidepool(dir, 'dlq', 'ls')).out).toMatch(/project\.eth@1 +project\.eth +blocks\.eth\.e1@1/);

      expect(await tidepool(dir, 'dlq', 'replay', 'project.eth@1')).toEqual({
        code: 0,
        out: 'project.eth@1: replayed\nstage project.eth goes on\n',
        err: '',
      });
      expect(restarted).toEqual(['project.eth']);
      const rest = await tidepool(dir, 'dlq', 'replay');
      expect([rest.code, rest.out]).toEqual([
        1,
        'source.eth@log: needs a new epoch (version 9)\ngone: not in the log any more\n',
      ]);
      expect((await tidepool(dir, 'dlq', 'ls', '--all')).out).toMatch(/project\.eth@1 .* resolved +version 9/);
      expect((await tidepool(dir, 'dlq', 'replay', 'project.eth@1')).err).toMatch(/no open dead letter/);
    });
  });

  it('stay open while the bytes cannot be decoded', async () => {
    const dir = await filledFolder(2);
    await whileRunning(dir, {}, async (log) => {
      const writer = await log.openWriter('source.eth.e1');
      await writer.append([{ topic, seq: 2, value: Buffer.from('not a group') }]);
      await writer.close();
      await new DeadLetters(log).add({ ...letter, id: 'bad', seq: 2 });
      const ran = await tidepool(dir, 'dlq', 'replay');
      expect([ran.code, ran.out]).toEqual([1, expect.stringMatching(/^bad: still undecodable \(/)]);
      expect(JSON.parse((await tidepool(dir, 'topics', 'tail', topic.name, '--limit', '1')).out)).toMatchObject({
        seq: 2,
        undecodable: expect.any(String),
        base64: Buffer.from('not a group').toString('base64'),
      });
    });
  });
});
