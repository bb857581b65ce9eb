import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { ReferenceSet } from '#libs/protocol/blocks.js';
import { blocksTopic, epochsTopic } from '#libs/protocol/topics.js';
import { epochToBuild, freeEpoch } from './next-epoch.js';
import { servedRecord } from './served-epoch.js';

/** The number of the next epoch where a kill came between its topic and its first group. */
const dir = mkdtempSync(join(tmpdir(), 'tidepool-next-epoch-'));
const reference = { genesisHash: '00', startHeight: 0, decoderVersion: 3 } as ReferenceSet;
const own = { decoderVersion: 4, coin: null, stables: [], rules: [], foldVersion: 8, startHeight: null };
let log: EventLog;

beforeAll(async () => {
  log = await openEmbeddedLog({ dir });
  await log.ensureTopics([epochsTopic, blocksTopic('eth', 1)]);
  const writer = await log.openWriter('test');
  await writer.append([servedRecord('eth', { epoch: 1, foldVersion: 8 })]);
  await writer.close();
});
afterAll(async () => {
  await log.close();
  rmSync(dir, { recursive: true, force: true });
});

const next = (): Promise<number> =>
  epochToBuild(
    log,
    'eth',
    own as unknown as Parameters<typeof epochToBuild>[2],
    { epoch: 1, reference },
    { above: 1 },
    null,
  );

it('is a new one, and the same one again while its topic is empty', async () => {
  expect(await next()).toBe(2);
  await log.ensureTopics([blocksTopic('eth', 2)]);
  expect(await next()).toBe(2);
  // Where the chain itself is another one, nothing is continued.
  expect(await freeEpoch(log, 'eth')).toBe(3);
});
