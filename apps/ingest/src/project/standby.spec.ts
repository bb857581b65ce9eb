import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { heapPlaces } from '#libs/devkit/testing/heap-places.js';
import { until } from '#libs/devkit/testing/until.js';
import { blocksTopic, factsTopic } from '#libs/protocol/topics.js';
import { caughtUp, SourceHarness, seed } from '../source/test/harness.js';
import { LiveProject } from './live-project.js';

const FOLD = 7; // as the harness names it

/** A fold that follows what another one writes, and continues from there. */
describe(`a fold that stands by (seed ${seed})`, () => {
  let harness: SourceHarness;
  beforeEach(async () => {
    harness = await SourceHarness.open();
  });
  afterEach(() => harness.close());

  function fold() {
    const made = new LiveProject({
      ...{ log: harness.log, chain: 'eth', foldVersion: FOLD, place: heapPlaces(), commits: { everyBlocks: 10 } },
    });
    const run = (work: 'run' | 'standBy') => {
      const stop = new AbortController();
      const ended = made[work](stop.signal);
      ended.catch(() => undefined); // the failure is seen where it is stopped
      return () => {
        stop.abort();
        return ended;
      };
    };
    return { made, run };
  }

  const lastOf = async (topic: ReturnType<typeof blocksTopic>): Promise<number> =>
    (await harness.log.lastGroup(topic))?.seq ?? -1;

  it('folds what the other has folded, retractions too, writes nothing, and takes over with little to fold again', async () => {
    const chain = new ChainBuilder({ seed, transactions: [0, 3] });
    chain.mine(80);
    const rpc = await harness.serve(chain, { finalityDepth: 5 });
    const source = harness.start([rpc.url]);
    const [active, standby] = [fold(), fold()];
    const endActive = active.run('run');
    const endStandby = standby.run('standBy');
    await caughtUp(harness, source, chain);
    for (let i = 0; i < 10; i++) {
      if (i % 3 === 2) chain.reorg(3);
      else chain.mine(4);
      await caughtUp(harness, source, chain);
    }
    const [blocks, facts] = [blocksTopic('eth', 1), factsTopic('eth', 1, FOLD)];
    // The source may say what is final at any time: the end of the facts is known once the active fold has stopped.
    await until('facts at the end of blocks', async () => (await lastOf(facts)) === (await lastOf(blocks)));
    await endActive();
    const end = await lastOf(facts);
    await until('the standby at the end', () => (standby.made.status().seq ?? -1) >= end, {
      howFar: () => standby.made.status(),
    });
    expect(standby.made.status().detail.compared).toBe(end + 1);
    chain.mine(3);
    await caughtUp(harness, source, chain);
    expect(await lastOf(facts)).toBe(end);

    await endStandby();
    const endAgain = standby.run('run');
    await until('facts at the end of blocks', async () => (await lastOf(facts)) === (await lastOf(blocks)));
    // What is not sealed is folded again, and compared.
    expect(standby.made.status().detail.compared).toBeLessThan(30);
    await endAgain();
    await source.stop();
  });
});
