import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { TidepoolError } from '#libs/core/errors.js';
import { exportTopic, importTopic, type TransferProgress } from '#libs/pipeline/event-log/transfer.js';
import type { OperationIo, Operations } from '#libs/platform/admin-protocol.js';
import type { OperationDeps } from './operation-deps.js';
import { requireTopic } from './topic-by-name.js';

/** `topics export` and `topics import`: a topic as one file. A file appears under its name only when it is whole. */
export function transferOperations({ log }: OperationDeps): Operations {
  return {
    'topics.export': async (args, io) => {
      const topic = requireTopic(args.topic);
      const path = requirePath(args.path);
      if (args.overwrite !== true && (await exists(path))) {
        throw new TidepoolError('file_exists', `${path} exists already: name another file or add --overwrite`);
      }
      const state = await topicState(topic.name);
      const part = `${path}.part`;
      try {
        const result = await exportTopic(log, topic, createWriteStream(part, { mode: 0o600 }), {
          signal: io.signal,
          onProgress: showing(io, `export ${topic.name}`, state.records),
        });
        await rename(part, path);
        return { topic: topic.name, path, ...result, bytes: (await stat(path)).size };
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
    },
    'topics.import': async (args, io) => {
      const topic = requireTopic(args.topic);
      const path = requirePath(args.path);
      if (!(await exists(path))) throw new TidepoolError('no_file', `there is no file ${path}`);
      const result = await importTopic(log, topic, createReadStream(path), {
        signal: io.signal,
        onProgress: showing(io, `import ${topic.name}`, null),
      });
      return { topic: topic.name, path, ...result };
    },
  };

  async function topicState(name: string): Promise<{ records: number }> {
    const state = (await log.describe()).find((topic) => topic.name === name);
    if (state === undefined) throw noTopic(name);
    return { records: state.partitions.reduce((sum, { records }) => sum + records, 0) };
  }
}

const noTopic = (name: string): TidepoolError =>
  new TidepoolError('no_topic', `there is no topic ${name}; tidepool topics ls lists what there is`);

const showing =
  (io: OperationIo, label: string, total: number | null) =>
  ({ records }: TransferProgress): void =>
    io.progress({ label, done: records, total, unit: 'records' });

function requirePath(path: unknown): string {
  if (typeof path === 'string' && isAbsolute(path)) return path;
  throw new TidepoolError('usage', `expected the absolute path of a file, not ${JSON.stringify(path)}`);
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
