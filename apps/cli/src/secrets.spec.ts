import { readSecrets } from '#libs/serve/accounts/secret-book.js';
import { filledFolder, removeFolders, tidepool, whileRunning } from './test/cli-folder.js';

afterAll(removeFolders);

it('secrets of cursors are rotated and listed through the instance that runs, and never shown', async () => {
  const dir = await filledFolder(1);
  await whileRunning(dir, {}, async (log) => {
    const heard: string[] = [];
    const ran = async (...argv: string[]) => {
      const { code, out, err } = await tidepool(dir, ...argv);
      expect([argv, code, err]).toEqual([argv, 0, '']);
      heard.push(out);
      return out;
    };
    for (const states of [['signs'], ['signs', 'new'], ['signs', 'new', 'new']]) {
      await ran('secrets', 'rotate');
      const listed = (await ran('secrets', 'ls')).split('\n').filter((line) => /\d{4}-\d\d-\d\dT/.test(line));
      const kept = (await readSecrets(log)).secrets();
      // The newest one signs once every instance has heard of it.
      const expected = kept.map(({ id }, n) => [id, states[n]]);
      expect(listed.map((line) => [line.split(/\s+/)[0], line.trim().split(/\s+/).at(-1)])).toEqual(expected);
      expect(kept).toHaveLength(states.length);
      for (const { value } of kept) for (const text of heard) expect(text).not.toContain(value);
    }
  });
});
