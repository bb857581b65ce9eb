import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { TidepoolError } from '#libs/core/errors.js';
import type { TopicState } from '#libs/pipeline/event-log/log.js';
import { EXIT } from '#libs/platform/exit-code.js';
import { answer, JSON_OPTION, withProgress } from '../answer.js';
import type { Command } from '../command.js';
import { table } from '../text-table.js';

const TOPIC = { name: 'TOPIC', required: true, about: 'one of those that tidepool topics ls lists' };

export function topicTable(topics: readonly TopicState[]): string {
  const number = (value: number | null): string => (value === null ? '-' : value.toLocaleString('en-US'));
  const rows = topics.flatMap(({ name, partitions }) =>
    partitions.map(({ partition, records, bytes, firstSeq, lastSeq }) => [
      partitions.length > 1 ? `${name}/${partition}` : name,
      number(records),
      number(bytes),
      number(firstSeq),
      number(lastSeq),
    ]),
  );
  return rows.length === 0 ? 'the log is empty' : table(['topic', 'records', 'bytes', 'first seq', 'last seq'], rows);
}

const topicsList: Command = {
  name: 'topics ls',
  summary: 'topics of the log with their records, bytes and positions',
  positionals: [],
  options: [JSON_OPTION],
  run: (context) => answer<{ topics: TopicState[] }>(context, 'topics.ls', {}, ({ topics }) => topicTable(topics)),
};

const topicsTail: Command = {
  name: 'topics tail',
  summary: 'records of a topic as JSON lines',
  about: 'Prints the last 10 records, or those from --from on, one JSON line each.',
  positionals: [TOPIC],
  options: [
    { name: 'from', value: 'SEQ', about: 'first seq (blocks.*, facts.*) or first offset of each partition' },
    { name: 'limit', value: 'N', about: 'at most so many records' },
    { name: 'follow', about: 'wait for new records until Ctrl-C (blocks.*, facts.*)' },
  ],
  async run({ args, stdout, execute, signal }) {
    const { from, limit, follow } = args.options;
    try {
      await execute(
        'topics.tail',
        { topic: args.positionals[0], from, limit, follow },
        { line: (text) => void stdout.write(`${text}\n`) },
      );
    } catch (error) {
      // Ctrl-C is how following ends.
      if (!(follow && signal.aborted)) throw error;
    }
    return EXIT.ok;
  },
};

interface TransferAnswer {
  topic: string;
  path: string;
  records: number;
}

const topicsExport: Command = {
  name: 'topics export',
  summary: 'a topic into one checksummed file',
  about: 'Writes the whole topic into FILE (gzip), or to standard output where FILE is "-" or missing.',
  positionals: [TOPIC, { name: 'FILE', required: false, about: 'the file to write' }],
  options: [{ name: 'overwrite', about: 'replace FILE when it exists' }],
  async run({ args, stdout, stderr, execute }) {
    const [topic, file] = args.positionals;
    const write = (path: string, options: object = {}): Promise<TransferAnswer> =>
      withProgress({ stderr }, (progress) =>
        execute('topics.export', { topic, path, ...options }, { progress }),
      ) as Promise<TransferAnswer>;
    if (file !== undefined && file !== '-') {
      const { overwrite } = args.options;
      const written = await write(resolve(file), { overwrite });
      stderr.write(`${written.topic}: ${written.records.toLocaleString('en-US')} records written to ${written.path}\n`);
      return EXIT.ok;
    }
    await inTemporaryFolder(async (folder) => {
      const path = join(folder, 'topic');
      await write(path);
      for await (const chunk of createReadStream(path)) {
        if (stdout.write(chunk as Uint8Array) === false) await drained(stdout);
      }
    });
    return EXIT.ok;
  },
};

const topicsImport: Command = {
  name: 'topics import',
  summary: 'a file made by export into an empty topic',
  about:
    'Reads FILE, or standard input where FILE is "-". The topic must be empty or absent; a damaged file changes nothing that was not whole before.',
  positionals: [TOPIC, { name: 'FILE', required: true, about: 'the file to read' }],
  options: [],
  async run({ args, stdin, stderr, execute }) {
    const [topic, file] = args.positionals;
    const load = async (path: string): Promise<void> => {
      const loaded = (await withProgress({ stderr }, (progress) =>
        execute('topics.import', { topic, path }, { progress }),
      )) as TransferAnswer;
      stderr.write(`${loaded.topic}: ${loaded.records.toLocaleString('en-US')} records imported\n`);
    };
    if (file !== '-') await load(resolve(file!));
    else {
      await inTemporaryFolder(async (folder) => {
        const path = join(folder, 'topic');
        await writeFile(path, stdin, { mode: 0o600 });
        await load(path);
      });
    }
    return EXIT.ok;
  },
};

const topicsTruncate: Command = {
  name: 'topics truncate',
  summary: 'drop the beginning of blocks for ever, while no instance runs',
  about:
    'Drops the groups below --before. Refused where the fold or the source still needs them. Afterwards neither facts of a new fold version nor a retraction below the oldest kept state can be computed from this log: the latter starts a new epoch.',
  positionals: [TOPIC],
  options: [{ name: 'before', value: 'SEQ', about: 'the first seq that stays' }],
  async run({ args, stderr, execute }) {
    const { before } = args.options;
    if (before === undefined) throw new TidepoolError('usage', '--before is missing');
    const answer = (await execute('topics.truncate', { topic: args.positionals[0], before })) as {
      topic: string;
      firstKeptSeq: number;
      deepestState: number | null;
    };
    stderr.write(
      `${answer.topic} begins at seq ${answer.firstKeptSeq}; retractions reach back to seq ${answer.deepestState ?? 0}\n`,
    );
    return EXIT.ok;
  },
};

export const topicCommands = [topicsList, topicsTail, topicsExport, topicsImport, topicsTruncate] as const;

async function inTemporaryFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tidepool-topic-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const drained = (stream: unknown): Promise<void> =>
  new Promise((resolve) => (stream as NodeJS.WriteStream).once('drain', () => resolve()));
