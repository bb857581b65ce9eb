import { type ChildArguments, groupValue } from '#libs/devkit/testing/log-groups.js';
import { openEmbeddedLog } from '../embedded/embedded-log.js';
import { openKafkaLog } from '../kafka/kafka-log.js';
import type { EventLog } from '../log.js';

/**
 * A writer that is meant to be killed: appends each seq to two topics at once, as fast as it can, and prints what was
 * acknowledged. Its argument is a ChildArguments as JSON.
 */
const args = JSON.parse(process.argv[2]!) as ChildArguments;
const log: EventLog = args.dir
  ? await openEmbeddedLog({ dir: args.dir })
  : await openKafkaLog({ brokers: args.brokers!, clientId: 'append-child' });
await log.ensureTopics([args.left, args.right]);
const writer = await log.openWriter(args.writerId);
let seq = ((await log.lastGroup(args.left))?.seq ?? -1) + 1;
const acknowledge = (line: string): Promise<void> =>
  new Promise((resolve, reject) => process.stdout.write(`${line}\n`, (error) => (error ? reject(error) : resolve())));
await acknowledge(`from ${seq}`);
for (;;) {
  const groups = 1 + (seq % 7);
  await writer.append(
    Array.from({ length: groups }, (_, i) => i).flatMap((i) => {
      const value = groupValue(seq + i);
      return [
        { topic: args.left, seq: seq + i, value },
        { topic: args.right, seq: seq + i, value },
      ];
    }),
  );
  seq += groups;
  await acknowledge(`acknowledged ${seq - 1}`);
}
