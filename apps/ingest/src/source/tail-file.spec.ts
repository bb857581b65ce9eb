import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eth } from '#libs/chain/catalogue/test/chain-specs.js';
import { noSteps } from '#libs/core/steps.js';
import { randomHistory } from '#libs/devkit/testing/histories/random-history.js';
import { SeededRandom, testScale as scale } from '#libs/devkit/testing/seeded-random.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { TailFile } from '#libs/pipeline/state/saved/tail-file.js';
import type { BlocksGroup } from '#libs/protocol/blocks.js';
import { encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { blocksTopic, type TopicSpec } from '#libs/protocol/topics.js';
import { countedLog } from '../../../../bench/lib/counted-log.js';
import { Publisher } from './publisher.js';

const EPOCH = 1;
const histories = Math.max(4, Math.round(60 * scale));

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tidepool-tail-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** A log that gets the groups of a history on demand, as the source's writer would have appended them. */
class GrowingLog {
  private appended = 0;
  readonly topic: TopicSpec = blocksTopic(eth.slug, EPOCH);

  private constructor(
    readonly log: EventLog,
    private readonly groups: readonly BlocksGroup[],
  ) {}

  static async open(name: string, groups: readonly BlocksGroup[]): Promise<GrowingLog> {
    const log = await openEmbeddedLog({ dir: join(dir, name) });
    const growing = new GrowingLog(log, groups);
    await log.ensureTopics([growing.topic]);
    return growing;
  }

  async growTo(count: number): Promise<void> {
    const writer = await this.log.openWriter('source.eth.e1');
    const records = this.groups
      .slice(this.appended, count)
      .map((group) => ({ topic: this.topic, seq: group.seq, value: encodeBlocksGroup(group) }));
    await writer.append(records);
    await writer.close();
    this.appended = Math.max(this.appended, count);
  }
}

async function openPublisher(log: EventLog, tailFile?: TailFile): Promise<Publisher> {
  const deps = { log, chain: eth, steps: noSteps, observer: {}, maxAppendBytes: 1 << 20, tailFile };
  const publisher = (await Publisher.open(deps, EPOCH))!;
  await publisher.close();
  return publisher;
}

const known = ({ seq, last, head, sealedHeight, finalizedHeight, unsealed, reference }: Publisher) => ({
  ...{ seq, last, head, sealedHeight, finalizedHeight, unsealed, reference },
});

describe('the kept tail of the source', () => {
  it.each(Array.from({ length: histories }, (_, i) => i + 1))(
    'a start with it knows what a start from the log alone knows, and reads nothing below its seal (seed %i)',
    async (seed) => {
      const random = new SeededRandom(seed);
      const { groups } = randomHistory(seed, { groups: 160, retractions: 0.06, deepest: 12 });
      const growing = await GrowingLog.open('log', groups);
      const file = new TailFile(dir, eth.slug);
      let usedFile = 0;
      for (let count = 1; count < groups.length; ) {
        count = Math.min(groups.length, count + random.int(1, 30));
        await growing.growTo(count);
        const kept = await file.load(EPOCH);
        const counted = countedLog(growing.log);
        const found = known(await openPublisher(counted.log, file));
        expect({ seed, count, found }).toEqual({ seed, count, found: known(await openPublisher(growing.log)) });
        const lowest = Math.min(...counted.reads.map(({ seq }) => seq));
        const takenBack = groups
          .slice(0, count)
          .some(
            (group) =>
              group.kind === 'retract' &&
              kept !== null &&
              group.seq > kept.sealed.seq &&
              group.fromSeq <= kept.sealed.seq,
          );
        if (kept === null || takenBack) continue;
        expect({ seed, count, lowest }).toEqual({ seed, count, lowest: kept.sealed.seq });
        usedFile++;
      }
      expect(usedFile).toBeGreaterThan(0);
      await growing.log.close();
    },
  );

  it('is not believed where the log holds something else', async () => {
    const file = new TailFile(dir, eth.slug);
    const first = await GrowingLog.open('first', randomHistory(1, { groups: 120 }).groups);
    await first.growTo(120);
    await openPublisher(first.log, file);
    expect(await file.load(EPOCH)).not.toBeNull();
    expect(await file.load(EPOCH + 1)).toBeNull();
    const other = await GrowingLog.open('other', randomHistory(2, { groups: 150 }).groups);
    for (const count of [5, 150]) {
      await other.growTo(count);
      expect(known(await openPublisher(other.log, file))).toEqual(known(await openPublisher(other.log)));
    }
    await Promise.all([first.log.close(), other.log.close()]);
  });

  it('gives nothing when it is cut off or damaged anywhere', async () => {
    const growing = await GrowingLog.open('log', randomHistory(3, { groups: 120 }).groups);
    await growing.growTo(120);
    const file = new TailFile(dir, eth.slug);
    await openPublisher(growing.log, file);
    const [name] = (await readdir(dir)).filter((entry) => entry.endsWith('.json'));
    const bytes = await readFile(join(dir, name!));
    for (let at = 0; at < bytes.length - 1; at += 3) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 0x01;
      await writeFile(join(dir, name!), at % 2 === 0 ? damaged : bytes.subarray(0, at));
      expect({ at, kept: await file.load(EPOCH) }).toEqual({ at, kept: null });
    }
    await file.forget();
    expect(await file.load(EPOCH)).toBeNull();
    await growing.log.close();
  });
});
