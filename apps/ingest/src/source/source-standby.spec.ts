import { join } from 'node:path';
import { eth } from '#libs/chain/catalogue/test/chain-specs.js';
import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { until } from '#libs/devkit/testing/until.js';
import { knownStoreDir, openKnownStore } from '#libs/pipeline/state/saved/known-store.js';
import { blocksTopic } from '#libs/protocol/topics.js';
import { followPublished } from './source-standby.js';
import { caughtUp, SourceHarness, seed } from './test/harness.js';
import { expectLog } from './test/log-checks.js';

/** What a source keeps next to the log is kept by a standby too, in a folder of its own. */
describe(`a source that stands by (seed ${seed})`, () => {
  let harness: SourceHarness;
  beforeEach(async () => {
    harness = await SourceHarness.open();
  });
  afterEach(() => harness.close());

  async function markIn(dir: string): Promise<number> {
    const store = openKnownStore(knownStoreDir(dir, 'eth'));
    const seq = store.mark?.seq ?? -1;
    await store.close();
    return seq;
  }

  it('knows the pools and tokens of the log, reorganized blocks too, and continues the log from there', async () => {
    const chain = new ChainBuilder({ seed, transactions: [0, 3] });
    chain.mine(60);
    const rpc = await harness.serve(chain, { finalityDepth: 5 });
    const active = harness.start([rpc.url]);
    await caughtUp(harness, active, chain);
    const dir = join(harness.dir, 'standby');
    const requests = { read: 0 };
    const counting = new Proxy(harness.log, {
      get(target, property) {
        if (property === 'lastGroup') requests.read++;
        if (property === 'openWriter') throw new Error('a standby opens no writer');
        const value: unknown = Reflect.get(target, property);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const stop = new AbortController();
    const following = followPublished(
      { log: counting, chain: eth, dataDir: dir, observer: {}, everyMs: 1 },
      stop.signal,
    );
    chain.reorg(4);
    chain.mine(20);
    await caughtUp(harness, active, chain);
    await active.stop();
    const before = requests.read;
    // Two more looks: the first one may have begun before the end.
    await until('further looks', () => requests.read > before + 2);
    stop.abort();
    await following;
    expect(await markIn(dir)).toBe((await harness.log.lastGroup(blocksTopic('eth', 1)))!.seq);

    const heir = harness.start([rpc.url], { dataDir: dir });
    chain.mine(10);
    await caughtUp(harness, heir, chain);
    expectLog(await harness.groups(), chain);
  });
});
