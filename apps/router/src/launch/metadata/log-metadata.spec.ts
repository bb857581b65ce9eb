import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedLog } from '#libs/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/event-log/log.js';
import { launchFileName } from '#libs/protocol/launch-files.js';
import { launchMetadataTopic } from '#libs/protocol/topics.js';
import { LogMetadata } from './log-metadata.js';

/** Metadata files in the topic, as several routers of one log write and read them. */
let dir: string;
let log: EventLog;
let routers: LogMetadata[];
const open = (id: string): LogMetadata => {
  const made = new LogMetadata(log, id);
  routers.push(made);
  return made;
};

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tidepool-launch-metadata-'));
  log = await openEmbeddedLog({ dir });
  routers = [];
});
afterEach(async () => {
  for (const router of routers) await router.close();
  await log.close();
  rmSync(dir, { recursive: true, force: true });
});

const file = (n: number): Buffer => Buffer.from(JSON.stringify({ name: `Token ${n}` }));

it('finds on every router, also on one that starts later, what any has kept', async () => {
  const [one, other] = [open('one'), open('other')];
  expect(await one.find(launchFileName(file(0)))).toBeNull();
  await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? one : other).put(file(n))));
  // What both keep is one file.
  await Promise.all([one.put(file(7)), other.put(file(8))]);
  for (const router of [one, other, open('later')]) {
    for (let n = 0; n < 40; n++) {
      expect(Buffer.from((await router.find(launchFileName(file(n))))!).equals(file(n))).toBe(true);
    }
    expect(await router.find(launchFileName(file(40)))).toBeNull();
    for (const name of ['', 'x', '../secret.json', `${'a'.repeat(43)}.png`]) expect(await router.find(name)).toBeNull();
  }
  expect((await log.readCompacted(launchMetadataTopic)).size).toBe(40);
});

it('shows nothing that does not have the name it lies under', async () => {
  const router = open('one');
  await router.put(file(1));
  const writer = await log.openWriter('stranger');
  await writer.append([{ topic: launchMetadataTopic, key: launchFileName(file(2)), value: file(3) }]);
  await writer.close();
  expect(await router.find(launchFileName(file(2)))).toBeNull();
  expect(await router.find(launchFileName(file(1)))).not.toBeNull();
});

it('takes over anew after an append that failed', async () => {
  const router = open('one');
  await router.put(file(1));
  // Another process with the same id fences the writer.
  const taken = await log.openWriter('one');
  await expect(router.put(file(2))).rejects.toThrow();
  await router.put(file(2));
  expect(await open('two').find(launchFileName(file(2)))).not.toBeNull();
  await taken.close();
});
