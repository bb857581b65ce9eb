import { truncateBlocks } from '#libs/app/operations/truncate-blocks.js';
import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { heapPlaces } from '#libs/devkit/testing/heap-places.js';
import { until } from '#libs/devkit/testing/until.js';
import { sourceNeedsFrom } from '#libs/pipeline/state/saved/source-needs.js';
import { blocksTopic, factsTopic } from '#libs/protocol/topics.js';
import { readEndedEpoch } from '../served-epoch.js';
import { caughtUp, reached, SourceHarness, seed } from '../source/test/harness.js';
import { expectLog } from '../source/test/log-checks.js';
import { LiveProject } from './live-project.js';

const FOLD = 7; // as the harness names it

let harness: SourceHarness;
let place: ReturnType<typeof heapPlaces>;
beforeEach(async () => {
  place = heapPlaces();
  harness = await SourceHarness.open();
});
afterEach(() => harness.close());

function startFold() {
  const fold = new LiveProject({
    log: harness.log,
    chain: 'eth',
    foldVersion: FOLD,
    commits: { everyBlocks: 10 },
    place,
  });
  const stop = new AbortController();
  const ended = fold.run(stop.signal);
  ended.catch(() => undefined); // the failure is seen where it is stopped
  return {
    fold,
    stop: () => {
      stop.abort();
      return ended;
    },
  };
}

/** Waits until facts of an epoch reach what its blocks hold. */
async function folded(epoch: number): Promise<void> {
  const [blocks, facts] = [blocksTopic('eth', epoch), factsTopic('eth', epoch, FOLD)];
  await until(`facts of epoch ${epoch}`, async () => {
    await harness.log.ensureTopics([blocks, facts]);
    const [last, known] = [await harness.log.lastGroup(blocks), await harness.log.lastGroup(facts)];
    return last !== null && last.seq === known?.seq;
  });
}

describe(`a truncated log (seed ${seed})`, () => {
  it('is continued by source and fold; a retraction below its oldest kept state starts a new epoch', async () => {
    const chain = new ChainBuilder({ seed, transactions: [0, 3] });
    chain.mine(200);
    const rpc = await harness.serve(chain, { finalityDepth: 3 });
    let source = harness.start([rpc.url]);
    let fold = startFold();
    await caughtUp(harness, source, chain);
    for (let i = 0; i < 30; i++) {
      chain.mine(2);
      await caughtUp(harness, source, chain);
    }
    await folded(1);
    await source.stop();
    await fold.stop();

    const { home } = place(1, FOLD);
    const blocks = { log: harness.log, chain: 'eth', epoch: 1, foldVersion: FOLD, home };
    const consumers = [{ name: 'the source', needsFrom: await sourceNeedsFrom(harness.dir, 'eth', 1) }];
    const newest = (await home.kept()).committed!.seq;
    const { seq: last } = (await harness.log.lastGroup(blocksTopic('eth', 1)))!;
    expect(newest).toBeGreaterThan(100);
    await expect(truncateBlocks({ ...blocks, consumers }, last)).rejects.toMatchObject({
      code: 'cut_too_high',
      message: expect.stringContaining(`reads from seq ${newest + 1}`),
    });
    const nobody = [{ name: 'the source', needsFrom: 0 }];
    await expect(truncateBlocks({ ...blocks, consumers: nobody }, 5)).rejects.toMatchObject({ code: 'cut_too_high' });
    const { needsFrom } = consumers[0]!;
    expect(needsFrom).toBeGreaterThan(100);
    const cut = Math.min(needsFrom, newest + 1);
    const { firstKeptSeq, deepestState } = await truncateBlocks({ ...blocks, consumers }, cut);
    expect(firstKeptSeq).toBe(cut);
    expect(deepestState).toBeGreaterThanOrEqual(cut - 1);

    source = harness.start([rpc.url]);
    fold = startFold();
    chain.mine(3);
    await caughtUp(harness, source, chain);
    chain.reorg(2);
    await caughtUp(harness, source, chain);
    await folded(1);
    expect(source.stage.status()).toMatchObject({ epoch: 1 });

    // The source does not hold the block that the chain goes back to any more.
    chain.reorg(chain.head.number - 30, chain.head.number);
    await harness.built(source, 2, chain);
    await harness.serveEpoch(2);
    await reached(source, (stage) => stage.status().epoch === 2);
    await caughtUp(harness, source, chain);
    expectLog(await harness.groups(2), chain);
    await folded(2);
    const { seq: reachedAt } = (await harness.log.lastGroup(blocksTopic('eth', 2)))!;
    await until('the fold at the end of blocks', () => (fold.fold.status().seq ?? -1) >= reachedAt);
    await fold.stop();
  });

  it('a fold that has no state below a retraction says so, and the source opens a new epoch', async () => {
    const chain = new ChainBuilder({ seed: seed + 1, transactions: [0, 2] });
    chain.mine(200);
    const rpc = await harness.serve(chain, { finalityDepth: 3 });
    const source = harness.start([rpc.url]);
    let fold = startFold();
    await caughtUp(harness, source, chain);
    for (let i = 0; i < 30; i++) {
      chain.mine(2);
      await caughtUp(harness, source, chain);
    }
    await folded(1);
    await fold.stop();
    // No state but the newest is kept, and the log is cut well below that one: the source can still go back there.
    const { home } = place(1, FOLD);
    home.disk.undo.length = 0;
    const newest = (await home.kept()).committed!.seq;
    const blocks = { log: harness.log, chain: 'eth', epoch: 1, foldVersion: FOLD, home };
    await truncateBlocks({ ...blocks, consumers: [] }, newest - 60);
    fold = startFold();
    chain.reorg(30, 35);
    await harness.built(source, 2, chain);
    expect(await readEndedEpoch(harness.log, 'eth')).toMatchObject({
      epoch: 1,
      reason: expect.stringContaining('below the oldest kept state'),
    });
    await harness.serveEpoch(2);
    await reached(source, (stage) => stage.status().epoch === 2);
    await caughtUp(harness, source, chain);
    expectLog(await harness.groups(2), chain);
    await folded(2);
    await fold.stop();
  });
});
