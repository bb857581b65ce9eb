import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chainSlugs } from '#libs/chain/chains/registry.js';
import { openDataFolder } from '#libs/platform/data-folder.js';
import { programVersion } from '#libs/platform/program-version.js';
import { commands } from './main.js';
import { filledFolder, freshFolder, removeFolders, root, tidepool, whileRunning } from './test/cli-folder.js';

afterAll(removeFolders);

describe('words', () => {
  it('help and version are everywhere', async () => {
    const dir = freshFolder();
    const overview = await tidepool(dir, '--help');
    expect(overview.code).toBe(0);
    for (const { name, summary } of commands) {
      expect(overview.out).toContain(name);
      if (name === 'decode') continue;
      const help = await tidepool(dir, ...name.split(' '), '--help');
      expect([help.code, help.out.split('\n')[0]]).toEqual([0, expect.stringContaining(`usage: tidepool ${name}`)]);
      expect(help.out.length).toBeGreaterThan(summary.length);
    }
    expect(await tidepool(dir, '--version')).toEqual({ code: 0, out: `${programVersion()}\n`, err: '' });
    expect(existsSync(dir)).toBe(false);
  });

  const wrong: [string[], RegExp][] = [
    [[], /^usage: tidepool/],
    [['nonsense'], /no command "nonsense"; tidepool --help/],
    [['topics'], /^usage: tidepool topics <command>/],
    [['topics', 'nonsense'], /no command "topics nonsense"/],
    [['topics', 'ls', '--nonsense'], /--nonsense.*tidepool topics ls --help/],
    [['topics', 'ls', 'extra'], /unexpected argument "extra"/],
    [['topics', 'tail'], /TOPIC is missing/],
    [['topics', 'tail', 'blocks.eth'], /"blocks.eth" is not a topic: use blocks.<chain>.e<epoch>/],
    [['topics', 'tail', 'blocks.eth.e1', '--limit', 'x'], /--limit must be a whole number/],
    [['topics', 'tail', 'epochs', '--follow'], /--follow works on blocks/],
    [['replay', 'doge'], new RegExp(`"doge" is not indexed here: use ${chainSlugs.join(', ')}`)],
  ];
  it.each(wrong)('%j is refused with exit code 2', async (argv, words) => {
    const ran = await tidepool(await filledFolder(1), ...argv);
    expect([ran.code, ran.out]).toEqual([2, '']);
    expect(ran.err.replace(/^tidepool: /, '')).toMatch(words);
  });

  it('name the next step where there is nothing yet', async () => {
    expect(await tidepool(freshFolder(), 'status')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/npm start.*TIDEPOOL_DATA_DIR/),
    });
    const dir = await filledFolder(1);
    expect((await tidepool(dir, 'topics', 'tail', 'blocks.eth.e9')).err).toMatch(
      /no topic blocks.eth.e9; there are .*blocks.eth.e1/,
    );
  });
});

describe('status', () => {
  it('tells whether an instance runs and is ready', async () => {
    const dir = await filledFolder(2);
    const alone = await tidepool(dir, 'status');
    expect([alone.code, alone.out]).toEqual([1, expect.stringContaining('no instance runs')]);
    const status = {
      app: 'all-in-one',
      version: '1.0.0',
      pid: 42,
      uptimeSeconds: 4_000,
      dataDir: dir,
      ready: false,
      reasons: ['project.eth: stopped, undecodable: group: version 9'],
      held: null,
      stages: [
        {
          name: 'project.eth',
          state: 'stopped',
          restarts: 2,
          since: 1,
          error: { code: 'undecodable', message: 'group: version 9', at: 1 },
        },
      ],
      chains: [{ chain: 'eth', head: 12 }],
    };
    await whileRunning(dir, { status: () => status }, async () => {
      const { code, out } = await tidepool(dir, 'status');
      expect(code).toBe(1);
      for (const part of [
        'process 42',
        '1 h 6 min',
        'not ready',
        'chain=eth head=12',
        'undecodable: group: version 9',
        'blocks.eth.e1',
      ]) {
        expect(out).toContain(part);
      }
      status.ready = true;
      expect((await tidepool(dir, 'status')).code).toBe(0);
      expect(JSON.parse((await tidepool(dir, 'status', '--json')).out)).toMatchObject({
        running: true,
        pid: 42,
        topics: expect.any(Array),
      });
    });
  });

  it('never opens a folder that is in use by something without a socket', async () => {
    const dir = await filledFolder(2);
    const folder = await openDataFolder({ dir, version: programVersion(), holder: 'npm start' });
    expect(await tidepool(dir, 'status')).toMatchObject({
      code: 3,
      err: expect.stringContaining('in use by npm start'),
    });
    await folder.close();
  });
});

it('decode works without any data folder', async () => {
  const file = join(root, 'receipt.json');
  mkdirSync(root, { recursive: true });
  writeFileSync(file, '[]');
  expect(await tidepool(freshFolder(), 'decode', file)).toEqual({ code: 0, out: '', err: '' });
  expect((await tidepool(freshFolder(), 'decode', '--help')).out).toMatch(/^usage: tidepool decode FILE/);
});
