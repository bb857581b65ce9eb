import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedLog } from '#libs/bus/embedded-log.js';
import type { EventLog } from '#libs/bus/log.js';
import { serveAdminSocket } from '#libs/platform/admin-socket.js';
import { openDataFolder } from '#libs/platform/data-folder.js';
import { silentLogger } from '#libs/platform/logger.js';
import { programVersion } from '#libs/platform/program-version.js';
import type { EpochGroup, FinalizeGroup } from '#libs/protocol/blocks.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { blocksTopic, epochsTopic } from '#libs/protocol/topics.js';
import type { AnalyticsStore } from '#libs/store/store.js';
import { DeadLetters } from '../dead-letters.js';
import { DataFolderExecutor } from './executor.js';
import { commands, main } from './main.js';
import { createOperations, type OperationDeps } from './operations.js';

const root = mkdtempSync(join(tmpdir(), 'tidepool-cli-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let count = 0;
const freshFolder = (): string => join(root, `d${count++}`);
const topic = blocksTopic('eth', 1);
const noStore = (): Promise<AnalyticsStore> => Promise.reject(new Error('no operation of this spec needs the store'));

interface Ran {
  code: number;
  out: string;
  err: string;
}

/** One command on a data folder, as the shell would run it. */
async function tidepool(dataDir: string, ...argv: string[]): Promise<Ran> {
  const out: Buffer[] = [];
  const err: string[] = [];
  const io = {
    stdin: [] as unknown as AsyncIterable<string>,
    stdout: { write: (text: string | Uint8Array) => out.push(Buffer.from(text)) > 0 },
    stderr: { write: (text: string | Uint8Array) => err.push(String(text)) > 0 },
    signal: new AbortController().signal,
  };
  const executor = new DataFolderExecutor(io, { TIDEPOOL_DATA_DIR: dataDir });
  const code = await main(argv, { ...io, executor });
  return { code, out: Buffer.concat(out).toString('utf8'), err: err.join('') };
}

const envelope = (seq: number) => ({
  chain: 'eth',
  epoch: 1,
  seq,
  height: 100 + seq,
  hash: seq.toString(16).padStart(64, '0'),
  parentHash: 'ab'.repeat(32),
  time: 1_700_000_000_000 + seq,
});

function group(seq: number): Uint8Array {
  if (seq > 0) return encodeBlocksGroup({ kind: 'finalize', ...envelope(seq), finalizedHeight: 100 } as FinalizeGroup);
  const epoch: EpochGroup = {
    kind: 'epoch',
    ...envelope(0),
    reference: {
      family: 'evm',
      genesisHash: 'cd'.repeat(32),
      startHeight: 101,
      decoderVersion: 1,
      coin: { token: '11'.repeat(20), symbol: 'ETH', decimals: 18 },
      stables: ['22'.repeat(20)],
      rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
    },
  };
  return encodeBlocksGroup(epoch);
}

/** A data folder whose log holds the groups 0 … n-1 and one epoch record. */
async function filledFolder(groups: number): Promise<string> {
  const dir = freshFolder();
  const folder = await openDataFolder({ dir, version: programVersion(), holder: 'spec' });
  const log = await openEmbeddedLog({ dir: folder.path('log') });
  await fill(log, groups);
  await log.close();
  await folder.close();
  return dir;
}

async function fill(log: EventLog, groups: number): Promise<void> {
  await log.ensureTopics([topic, epochsTopic]);
  const writer = await log.openWriter('source.eth.e1');
  for (let seq = 0; seq < groups; seq++) await writer.append([{ topic, seq, value: group(seq) }]);
  await writer.append([{ topic: epochsTopic, key: 'eth', value: Buffer.from('{"epoch":1,"foldVersion":1}') }]);
  await writer.close();
}

/** Does `work` while an instance with these operations runs on the folder. */
async function whileRunning<T>(
  dir: string,
  deps: Partial<OperationDeps>,
  work: (log: EventLog) => Promise<T>,
): Promise<T> {
  const folder = await openDataFolder({ dir, version: programVersion(), holder: 'npm start' });
  const log = await openEmbeddedLog({ dir: folder.path('log') });
  const operations = createOperations({ log, store: noStore, chains: ['eth'], ...deps });
  const socket = await serveAdminSocket({ dataDir: dir, operations, logger: silentLogger });
  try {
    return await work(log);
  } finally {
    await socket.close();
    await log.close();
    await folder.close();
  }
}

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
    [['replay', 'bsc'], /"bsc" is not indexed here: use eth/],
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

async function append(log: EventLog, seq: number): Promise<void> {
  const writer = await log.openWriter('source.eth.e1');
  await writer.append([{ topic, seq, value: group(seq) }]);
  await writer.close();
}

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

it('decode works without any data folder', async () => {
  const file = join(root, 'receipt.json');
  mkdirSync(root, { recursive: true });
  writeFileSync(file, '[]');
  expect(await tidepool(freshFolder(), 'decode', file)).toEqual({ code: 0, out: '', err: '' });
  expect((await tidepool(freshFolder(), 'decode', '--help')).out).toMatch(/^usage: tidepool decode FILE/);
});
