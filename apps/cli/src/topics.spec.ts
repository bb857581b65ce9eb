import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksTopic } from '#libs/protocol/topics.js';
import { DataFolderExecutor } from './executor.js';
import { main } from './main.js';
import {
  append,
  filledFolder,
  freshFolder,
  removeFolders,
  root,
  tidepool,
  topic,
  whileRunning,
} from './test/cli-folder.js';

afterAll(removeFolders);

describe.each(['alone', 'beside a running instance'] as const)('topics, %s', (how) => {
  const on = async <T>(dir: string, work: () => Promise<T>): Promise<T> =>
    how === 'alone' ? work() : whileRunning(dir, {}, () => work());

  it('ls shows records and positions', async () => {
    const dir = await filledFolder(12);
    await on(dir, async () => {
      const { code, out } = await tidepool(dir, 'topics', 'ls');
      expect(code).toBe(0);
      expect(out).toMatch(/blocks\.eth\.e1 +12 +[\d,]+ +0 +11\n/);
      const { topics } = JSON.parse((await tidepool(dir, 'topics', 'ls', '--json')).out);
      expect(topics.find((state: { name: string }) => state.name === topic.name).partitions[0]).toMatchObject({
        records: 12,
        lastSeq: 11,
      });
    });
  });

  it('tail prints groups as JSON lines', async () => {
    const dir = await filledFolder(12);
    await on(dir, async () => {
      const seqs = async (...argv: string[]): Promise<number[]> => {
        const { out } = await tidepool(dir, 'topics', 'tail', topic.name, ...argv);
        return out
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line).seq);
      };
      expect(await seqs()).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
      expect(await seqs('--limit', '2')).toEqual([10, 11]);
      expect(await seqs('--from', '0', '--limit', '3')).toEqual([0, 1, 2]);
      expect(await seqs('--from', '11')).toEqual([11]);
      expect(await seqs('--from', '12')).toEqual([]);
      expect(await seqs('--limit', '0')).toEqual([]);
      const [first] = (await tidepool(dir, 'topics', 'tail', topic.name, '--from', '0', '--limit', '1')).out.split(
        '\n',
      );
      expect(JSON.parse(first!)).toMatchObject({ kind: 'epoch', reference: { coin: { symbol: 'ETH' } } });
      expect((await tidepool(dir, 'topics', 'tail', 'epochs')).out).toBe(
        '{"key":"eth","value":{"epoch":1,"foldVersion":1}}\n',
      );
    });
  });

  it('export and import give the same topic elsewhere', async () => {
    const dir = await filledFolder(40);
    const file = join(root, `export-${how.length}`);
    await on(dir, async () => {
      expect(await tidepool(dir, 'topics', 'export', topic.name, file)).toMatchObject({
        code: 0,
        err: expect.stringContaining(`40 records written to ${file}`),
      });
      const again = await tidepool(dir, 'topics', 'export', topic.name, file);
      expect([again.code, again.err]).toEqual([1, expect.stringContaining('--overwrite')]);
      expect((await tidepool(dir, 'topics', 'export', topic.name, file, '--overwrite')).code).toBe(0);
    });
    const other = freshFolder();
    expect(await tidepool(other, 'topics', 'import', topic.name, file)).toMatchObject({
      code: 0,
      err: expect.stringContaining('40 records imported'),
    });
    const lines = async (folder: string): Promise<string> =>
      (await tidepool(folder, 'topics', 'tail', topic.name, '--from', '0')).out;
    expect(await lines(other)).toBe(await lines(dir));
    const twice = await tidepool(other, 'topics', 'import', topic.name, file);
    expect([twice.code, twice.err]).toEqual([1, expect.stringMatching(/needs an empty topic/)]);
  });

  it('a damaged file or a missing one is refused, and a failed export leaves no file', async () => {
    const dir = await filledFolder(3);
    await on(dir, async () => {
      const file = join(root, `damaged-${how.length}`);
      writeFileSync(file, 'not an export');
      const damaged = await tidepool(dir, 'topics', 'import', blocksTopic('eth', 5).name, file);
      expect(damaged.code).toBe(1);
      expect((await tidepool(dir, 'topics', 'import', topic.name, join(root, 'nowhere'))).err).toMatch(/no file/);
      const target = join(root, `none-${how.length}`);
      expect((await tidepool(dir, 'topics', 'export', 'blocks.eth.e7', target)).err).toMatch(/no topic blocks.eth.e7/);
      expect([existsSync(target), existsSync(`${target}.part`)]).toEqual([false, false]);
    });
  });
});

it('export to standard output writes the file itself', async () => {
  const dir = await filledFolder(5);
  const out: Buffer[] = [];
  const io = {
    stdin: [] as unknown as AsyncIterable<string>,
    stdout: { write: (text: string | Uint8Array) => out.push(Buffer.from(text)) > 0 },
    stderr: { write: () => true },
    signal: new AbortController().signal,
  };
  const executor = new DataFolderExecutor(io, { TIDEPOOL_DATA_DIR: dir });
  expect(await main(['topics', 'export', topic.name, '-'], { ...io, executor })).toBe(0);
  const file = join(root, 'from-stdout');
  writeFileSync(file, Buffer.concat(out));
  expect(readFileSync(file).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
  expect((await tidepool(freshFolder(), 'topics', 'import', topic.name, file)).code).toBe(0);
});

it('tail --follow prints what is appended meanwhile, until Ctrl-C', async () => {
  const dir = await filledFolder(2);
  await whileRunning(dir, {}, async (log) => {
    const abort = new AbortController();
    const seqs: number[] = [];
    const io = {
      stdin: [] as unknown as AsyncIterable<string>,
      stdout: {
        write: (text: string | Uint8Array) => {
          seqs.push(JSON.parse(String(text)).seq);
          if (seqs.length === 2) void append(log, 2);
          if (seqs.length === 3) abort.abort();
          return true;
        },
      },
      stderr: { write: () => true },
      signal: abort.signal,
    };
    const executor = new DataFolderExecutor(io, { TIDEPOOL_DATA_DIR: dir });
    expect(await main(['topics', 'tail', topic.name, '--follow'], { ...io, executor })).toBe(0);
    expect(seqs).toEqual([0, 1, 2]);
  });
});

describe('truncate', () => {
  it('is refused while somebody needs the groups, beside a running instance, and for other topics', async () => {
    const dir = await filledFolder(12);
    const refused = await tidepool(dir, 'topics', 'truncate', topic.name, '--before', '5');
    expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/what the fold needs: it reads from seq 0/)]);
    expect((await tidepool(dir, 'topics', 'truncate', topic.name)).err).toMatch(/--before is missing/);
    const absent = await tidepool(dir, 'topics', 'truncate', 'blocks.eth.e9', '--before', '1');
    expect(absent.err).toMatch(/no topic blocks.eth.e9/);
    expect((await tidepool(dir, 'topics', 'truncate', 'epochs', '--before', '1')).err).toMatch(/only blocks/);
    await whileRunning(dir, {}, async () => {
      expect((await tidepool(dir, 'topics', 'truncate', topic.name, '--before', '0')).err).toMatch(/stop the instance/);
    });
    expect((await tidepool(dir, 'topics', 'truncate', topic.name, '--before', '0')).code).toBe(0);
    expect((await tidepool(dir, 'topics', 'tail', topic.name, '--from', '0', '--limit', '1')).out).toContain('epoch');
  });
});
