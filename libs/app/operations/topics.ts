import { TidepoolError, UndecodableError } from '#libs/core/errors.js';
import type { SequencedRecord } from '#libs/pipeline/event-log/log.js';
import { decodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import type { OperationIo, Operations } from '#libs/platform/admin-protocol.js';
import { decodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { toJson } from '#libs/protocol/codec/group-json.js';
import { poolRecordView } from '#libs/protocol/codec/pool-copy-json.js';
import type { TopicSpec } from '#libs/protocol/topics.js';
import type { OperationDeps } from './operation-deps.js';
import { requireTopic } from './topic-by-name.js';
import { wholeNumber } from './whole-number.js';

/** How far back the end of a keyed partition is looked for. */
const KEYED_PAGE = 1_000;

/** `topics ls` and `topics tail`: what is in the log, and its records as JSON for people. Nothing is changed. */
export function topicOperations({ log }: OperationDeps): Operations {
  return {
    'topics.ls': async () => ({ topics: await log.describe() }),
    'topics.tail': async (args, io) => {
      const topic = requireTopic(args.topic);
      const options = {
        from: args.from === undefined ? null : wholeNumber(args.from, '--from'),
        limit: args.limit === undefined ? null : wholeNumber(args.limit, '--limit'),
        follow: args.follow === true,
      };
      await requireExisting(topic);
      if (topic.kind === 'sequenced') return tailGroups(topic, options, io);
      if (options.follow) {
        throw new TidepoolError('usage', `${topic.name} holds keyed records: --follow works on blocks.* and facts.*`);
      }
      if (topic.kind === 'compacted') return tailCompacted(topic, options.limit, io);
      return tailKeyed(topic, options, io);
    },
  };

  async function requireExisting(topic: TopicSpec): Promise<void> {
    const names = (await log.describe()).map(({ name }) => name);
    if (names.includes(topic.name)) return;
    const present = names.length === 0 ? 'the log is empty' : `there are ${names.join(', ')}`;
    throw new TidepoolError('no_topic', `there is no topic ${topic.name}; ${present}`);
  }

  async function tailGroups(topic: TopicSpec, options: TailOptions, io: OperationIo): Promise<{ records: number }> {
    const limit = options.limit ?? (options.follow || options.from !== null ? Number.POSITIVE_INFINITY : 10);
    const last = (await log.lastGroup(topic))?.seq ?? -1;
    const first = (await log.firstGroup(topic))?.seq ?? 0;
    const fromSeq = options.from ?? Math.max(first, last + 1 - (options.follow ? Math.min(limit, 10) : limit));
    if (limit === 0) return { records: 0 };
    let records = 0;
    for await (const batch of log.readGroups(topic, { fromSeq, signal: io.signal, untilEnd: !options.follow })) {
      for (const record of batch) {
        await io.line(groupLine(topic, record));
        if (++records >= limit || io.signal.aborted) return { records };
      }
    }
    return { records };
  }

  async function tailCompacted(topic: TopicSpec, limit: number | null, io: OperationIo): Promise<{ records: number }> {
    const records = await log.readCompacted(topic);
    const entries = [...records].sort(([a], [b]) => (a < b ? -1 : 1));
    const shown = entries.slice(0, limit ?? entries.length);
    const pools = topic.name.startsWith('pools.');
    for (const [key, value] of shown) {
      await io.line(JSON.stringify({ key, value: pools ? poolRecordView(key, value, records) : readable(value) }));
    }
    return { records: shown.length };
  }

  async function tailKeyed(topic: TopicSpec, options: TailOptions, io: OperationIo): Promise<{ records: number }> {
    const limit = options.limit ?? (options.from === null ? 10 : Number.POSITIVE_INFINITY);
    const found: { timestamp: number; text: string }[] = [];
    for (let partition = 0; partition < topic.partitions; partition++) {
      for (let offset = BigInt(options.from ?? 0); ; ) {
        const records = await log.readKeyed(topic, partition, offset, KEYED_PAGE);
        for (const { key, value, timestamp, ...at } of records) {
          const line = {
            partition,
            offset: at.offset.toString(),
            key,
            time: timestamp,
            value: value && readable(value),
          };
          found.push({ timestamp, text: JSON.stringify(line) });
        }
        // Only the newest are shown without --from: older ones need not be kept.
        if (options.from === null && found.length > limit + KEYED_PAGE) keepNewest(found, limit);
        if (records.length < KEYED_PAGE || io.signal.aborted) break;
        offset = records[records.length - 1]!.offset + 1n;
      }
    }
    found.sort((a, b) => a.timestamp - b.timestamp);
    const shown = options.from === null ? found.slice(Math.max(0, found.length - limit)) : found.slice(0, limit);
    for (const { text } of shown) await io.line(text);
    return { records: shown.length };
  }
}

interface TailOptions {
  from: number | null;
  limit: number | null;
  follow: boolean;
}

function keepNewest(found: { timestamp: number }[], limit: number): void {
  found.sort((a, b) => a.timestamp - b.timestamp);
  found.splice(0, found.length - limit);
}

function groupLine(topic: TopicSpec, { seq, value }: SequencedRecord): string {
  try {
    return toJson(topic.name.startsWith('blocks.') ? decodeBlocksGroup(value) : decodeFactsGroup(value));
  } catch (error) {
    if (!(error instanceof UndecodableError)) throw error;
    return JSON.stringify({ seq, undecodable: error.message, base64: Buffer.from(value).toString('base64') });
  }
}

/** JSON where it is JSON, text where it is text, base64 otherwise. */
function readable(value: Uint8Array): unknown {
  const text = Buffer.from(value).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return Buffer.from(text, 'utf8').equals(value) ? text : { base64: Buffer.from(value).toString('base64') };
  }
}
