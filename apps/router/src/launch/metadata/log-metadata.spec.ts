import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LaunchFiles } from '#libs/pipeline/epochs/launch-files.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { isLaunchFileName, launchFileName } from '#libs/protocol/launch-files.js';
import { launchMetadataTopic } from '#libs/protocol/topics.js';
import { LogMetadata } from './log-metadata.js';
import { WAITING_BOUNDS } from './outdated-files.js';

/** Metadata files in the topic, as several routers of one log write and read them. */
let dir: string;
let log: EventLog;
let routers: LogMetadata[];
let now: number;
const open = (id: string, bounds?: typeof WAITING_BOUNDS): LogMetadata => {
  const made = new LogMetadata(log, id, () => now, bounds);
  routers.push(made);
  return made;
};

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tidepool-launch-metadata-'));
  log = await openEmbeddedLog({ dir });
  routers = [];
  now = 1_800_000_000_000;
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
  await Promise.all(Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? one : other).put(file(n), 'sol')));
  // What both keep is one file.
  await Promise.all([one.put(file(7), 'sol'), other.put(file(8), 'sol')]);
  for (const router of [one, other, open('later')]) {
    for (let n = 0; n < 40; n++) {
      expect(Buffer.from((await router.find(launchFileName(file(n))))!).equals(file(n))).toBe(true);
    }
    expect(await router.find(launchFileName(file(40)))).toBeNull();
    for (const name of ['', 'x', '../secret.json', `${'a'.repeat(43)}.png`]) expect(await router.find(name)).toBeNull();
  }
  expect([...(await log.readCompacted(launchMetadataTopic)).keys()].filter(isLaunchFileName)).toHaveLength(40);
});

it('shows nothing that does not have the name it lies under', async () => {
  const router = open('one');
  await router.put(file(1), 'sol');
  const writer = await log.openWriter('stranger');
  await writer.append([{ topic: launchMetadataTopic, key: launchFileName(file(2)), value: file(3) }]);
  await writer.close();
  expect(await router.find(launchFileName(file(2)))).toBeNull();
  expect(await router.find(launchFileName(file(1)))).not.toBeNull();
});

it('takes over anew after an append that failed', async () => {
  const router = open('one');
  await router.put(file(1), 'sol');
  // Another process with the same id fences the writer.
  const taken = await log.openWriter('one');
  await expect(router.put(file(2), 'sol')).rejects.toThrow();
  await router.put(file(2), 'sol');
  expect(await open('two').find(launchFileName(file(2)))).not.toBeNull();
  await taken.close();
});

/** Those of the first so many files that a router which has read nothing so far finds. */
async function found(count: number): Promise<number[]> {
  const router = open(`reader-${routers.length}`);
  const all = Array.from({ length: count }, (_, n) => n);
  const bodies = await Promise.all(all.map((n) => router.find(launchFileName(file(n)))));
  return all.filter((n) => bodies[n] !== null);
}

describe('files of creates that were never signed', () => {
  let ingest: LaunchFiles;
  beforeEach(() => {
    ingest = new LaunchFiles(log, 'ingest');
  });
  afterEach(() => ingest.close());

  it('go after their time while the tokens of their chain are looked at; those of tokens stay for ever', async () => {
    const router = open('one');
    const begun = now;
    for (const [n, chain] of ['sol', 'sol', 'sol', 'bsc'].entries()) await router.put(file(n), chain);
    await ingest.tokenSeen(launchFileName(file(1)));
    // Of a file that is not there, and of what is no file, nothing is stated.
    const before = (await log.readCompacted(launchMetadataTopic)).size;
    for (const name of [launchFileName(file(99)), 'x']) await ingest.tokenSeen(name);
    expect((await log.readCompacted(launchMetadataTopic)).size).toBe(before);
    // Asked for again a day later, it waits from then on.
    now += 86_400_000;
    await router.put(file(2), 'sol');
    now = begun + WAITING_BOUNDS.ms;
    await router.put(file(4), 'sol');
    // Ingest has not come so far: the tokens may be there.
    expect(await found(5)).toEqual([0, 1, 2, 3, 4]);
    expect(await ingest.followedUntil('sol')).toBe(0);
    await ingest.followed('sol', begun + WAITING_BOUNDS.ms - 1);
    await router.put(file(5), 'sol');
    expect(await found(6)).toEqual([0, 1, 2, 3, 4, 5]);
    await ingest.followed('sol', begun + WAITING_BOUNDS.ms);
    expect(await open('two').put(file(6), 'bsc')).toBeUndefined();
    expect(await found(7)).toEqual([1, 2, 3, 4, 5, 6]);
    now += 86_400_000;
    await ingest.followed('sol', now);
    await router.put(file(7), 'sol');
    expect(await found(8)).toEqual([1, 3, 4, 5, 6, 7]);
    // The same create asked for again has its file again.
    await router.put(file(0), 'sol');
    expect(await found(8)).toEqual([0, 1, 3, 4, 5, 6, 7]);
    // What a token has does not wait any more, although the same create is asked for again.
    await router.put(file(1), 'sol');
    now += 10 * WAITING_BOUNDS.ms;
    await ingest.followed('sol', now);
    await router.put(file(8), 'bsc');
    expect(await found(9)).toEqual([1, 3, 6, 8]);
  });

  it('are bounded in count and bytes whatever is looked at, the oldest go first', async () => {
    const bytes = file(0).length;
    const router = open('one', { ...WAITING_BOUNDS, files: 3 });
    await router.put(file(0), 'bsc');
    await ingest.tokenSeen(launchFileName(file(0)));
    for (let n = 1; n < 6; n++) await router.put(file(n), 'bsc');
    expect(await found(6)).toEqual([0, 3, 4, 5]);
    await router.put(file(3), 'bsc');
    expect(await found(6)).toEqual([0, 3, 4, 5]);
    await router.put(file(6), 'bsc');
    expect(await found(7)).toEqual([0, 3, 5, 6]);
    // What is left of a file that went is neither it nor its mark.
    expect((await log.readCompacted(launchMetadataTopic)).size).toBe(2 * 3 + 2);
    const small = open('small', { ...WAITING_BOUNDS, bytes: 2 * bytes });
    await small.put(file(7), 'bsc');
    expect(await found(8)).toEqual([0, 6, 7]);
  });

  it('are none of those that lie there without a mark, as an older program left them', async () => {
    const writer = await log.openWriter('older');
    await log.ensureTopics([launchMetadataTopic]);
    await writer.append([{ topic: launchMetadataTopic, key: launchFileName(file(0)), value: file(0) }]);
    await writer.append([
      { topic: launchMetadataTopic, key: 'waiting.x', value: Buffer.from('{') },
      { topic: launchMetadataTopic, key: 'followed.sol', value: Buffer.from('"soon"') },
    ]);
    await writer.close();
    const router = open('one', { ...WAITING_BOUNDS, files: 1 });
    for (const n of [0, 1, 2]) await router.put(file(n), 'sol');
    expect(await found(3)).toEqual([0, 2]);
    expect(await ingest.followedUntil('sol')).toBe(0);
  });
});
