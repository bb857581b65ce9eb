import { eth } from '#libs/chain/catalogue/test/chain-specs.js';
import { Revert } from '#libs/devkit/chain-builder/abi-words.js';
import type { BuiltBlock } from '#libs/devkit/chain-builder/block-maker.js';
import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { acceptedCutRecord, readEpochRecords } from '#libs/pipeline/epochs/served-epoch.js';
import type { TickRecord } from '#libs/protocol/blocks.js';
import { epochsTopic, retractionsTopic } from '#libs/protocol/topics.js';
import { caughtUp, reached, SourceHarness, seed } from './test/harness.js';
import { expectLog, survivors } from './test/log-checks.js';

let harness: SourceHarness;
beforeEach(async () => {
  harness = await SourceHarness.open();
});
afterEach(() => harness.close());

/** All ticks of a pool at a block, as the chain has them. All of its liquidity may have been taken out. */
function ticksOf({ state }: BuiltBlock, address: string): TickRecord[] {
  const pool = state.pools.get(address);
  if (pool?.kind !== 'concentrated') throw new Error(`${address} has no ticks`);
  const ticks = [...pool.ticks].map(([tick, { gross, net }]) => ({ tick, liquidityGross: gross, liquidityNet: net }));
  return ticks.sort((a, b) => a.tick - b.tick);
}

describe(`source stage (seed ${seed})`, () => {
  it('publishes history and then the head, block for block', async () => {
    const chain = new ChainBuilder({ seed });
    chain.mine(300);
    const rpc = await harness.serve(chain);
    const progress: number[] = [];
    const running = harness.start([rpc.url, rpc.wsUrl], {
      observer: { progress: ({ done }) => progress.push(done) },
      // However long the log takes to read here, the head does not become stale meanwhile.
      options: { watch: { staleMs: 3_600_000 } },
    });
    await caughtUp(harness, running, chain);
    for (let i = 0; i < 5; i++) {
      chain.mine(1);
      await caughtUp(harness, running, chain);
    }
    const groups = await harness.groups();
    expectLog(groups, chain);
    const [epoch] = groups;
    expect(epoch).toMatchObject({
      kind: 'epoch',
      height: -1,
      reference: { genesisHash: chain.genesisHash.slice(2), startHeight: 0, family: 'evm', stables: expect.any(Array) },
    });
    expect(progress.length).toBeGreaterThan(1);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    const sealed = groups.filter((group) => group.kind === 'finalize').at(-1)!;
    expect(sealed.height).toBe(running.stage.status().sealed);
    expect(chain.head.number - sealed.height).toBeLessThanOrEqual(75);
    expect(groups.some((group) => group.kind === 'block' && group.source === 'stream')).toBe(true);
    expect(running.stage.status()).toMatchObject({ state: 'head', lag: 0, reorgs: 0, epoch: 1, distrusted: 0 });
    const named = await harness.log.readCompacted(epochsTopic);
    expect(JSON.parse(Buffer.from(named.get('eth')!).toString())).toEqual({ epoch: 1, foldVersion: 7 });
    await running.stop();
  });

  it('resumes where the log ends, from the copy of the known set or without it', async () => {
    const chain = new ChainBuilder({ seed: seed + 1 });
    chain.mine(80);
    const rpc = await harness.serve(chain);
    for (let turn = 0; turn < 4; turn++) {
      chain.mine(turn % 2 === 0 ? 100 : 3);
      const dataDir = turn < 2 ? harness.dir : `${harness.dir}/elsewhere`;
      const running = harness.start([rpc.url], { dataDir });
      await caughtUp(harness, running, chain);
      await running.stop();
    }
    expectLog(await harness.groups(), chain);
  });

  it('starts in mid-chain, confirms pools by their factory and anchors them at first sight', async () => {
    const chain = new ChainBuilder({ seed: seed + 2 });
    chain.mine(400);
    const rpc = await harness.serve(chain);
    const running = harness.start([rpc.url], { startHeight: 150 });
    await caughtUp(harness, running, chain);
    const groups = await harness.groups();
    expectLog(groups, chain, { from: 150 });
    const blocks = survivors(groups);
    const seen = blocks.flatMap((block) =>
      block.pools.filter((pool) => !pool.created).map((pool) => ({ pool, block })),
    );
    expect(seen.length).toBeGreaterThan(3);
    for (const { pool, block } of seen) {
      const anchor = block.anchors.find((candidate) => candidate.pool === pool.pool)!;
      const state = chain.blockByNumber(block.height)!;
      const word = (data: string, n = 0): bigint => BigInt(`0x${data.slice(2 + 64 * n, 66 + 64 * n)}`);
      if (pool.kind === 'constant-product') {
        const reserves = chain.call(`0x${pool.pool}`, '0x0902f1ac', state);
        expect(anchor).toMatchObject({ reserve0: word(reserves, 0), reserve1: word(reserves, 1), concentrated: null });
      } else {
        const slot0 = chain.call(`0x${pool.pool}`, '0x3850c7bd', state);
        const liquidity = word(chain.call(`0x${pool.pool}`, '0x1a686502', state));
        expect(anchor.concentrated).toMatchObject({ sqrtPriceX96: word(slot0), liquidity });
        const ticks = anchor.concentrated!.ticks;
        expect(ticks).toEqual(ticksOf(state, `0x${pool.pool}`));
        const active = ticks.filter((tick) => tick.tick <= anchor.concentrated!.tick);
        expect(active.reduce((sum, tick) => sum + tick.liquidityNet, 0n)).toBe(liquidity);
        expect(ticks.reduce((sum, tick) => sum + tick.liquidityNet, 0n)).toBe(0n);
      }
    }
  });

  it('anchors later, at the head, where old state is pruned', async () => {
    const chain = new ChainBuilder({ seed: seed + 3 });
    chain.mine(400);
    const rpc = await harness.serve(chain, { stateDepth: 20 });
    const running = harness.start([rpc.url], { startHeight: 150 });
    await caughtUp(harness, running, chain);
    for (let i = 0; i < 12; i++) {
      chain.mine(1);
      await caughtUp(harness, running, chain);
    }
    const blocks = survivors(await harness.groups());
    const waiting = new Set<string>();
    let late = 0;
    for (const block of blocks) {
      for (const pool of block.pools) if (!pool.created && pool.kind === 'concentrated') waiting.add(pool.pool);
      for (const anchor of block.anchors) {
        if (waiting.delete(anchor.pool) && !block.pools.some((pool) => pool.pool === anchor.pool)) late++;
      }
    }
    expect(waiting.size).toBe(0);
    expect(late).toBeGreaterThan(0);
  });

  it('anchors every pool that can be read, whatever others wait in vain', async () => {
    const chain = new ChainBuilder({ seed: seed + 3 });
    chain.mine(400);
    const call = chain.call.bind(chain);
    let dead: string | null = null;
    chain.call = (to, input, at) => {
      const slot0 = input.startsWith('0x3850c7bd');
      if (slot0) dead ??= to;
      // Bundles would ask for the dead pool as well.
      if (to.toLowerCase() === chain.addresses.multicall3 || (slot0 && to === dead)) throw new Revert('');
      return call(to, input, at);
    };
    const rpc = await harness.serve(chain, { stateDepth: 20 });
    const running = harness.start([rpc.url], { startHeight: 150, options: { anchorsPerBlock: 1 } });
    await caughtUp(harness, running, chain);
    for (let i = 0; i < 40; i++) {
      chain.mine(1);
      await caughtUp(harness, running, chain);
    }
    const blocks = survivors(await harness.groups());
    const pools = blocks
      .flatMap((block) => block.pools)
      .filter(({ created, kind }) => !created && kind !== 'constant-product');
    const anchored = new Set(blocks.flatMap((block) => block.anchors.map(({ pool }) => pool)));
    expect(pools.length).toBeGreaterThan(1);
    const waiting = pools.map(({ pool }) => pool).filter((pool) => !anchored.has(pool));
    expect(waiting).toEqual([String(dead).slice(2).toLowerCase()]);
  });

  it('builds an earlier start as another epoch next to the served one, and takes a later one as the same', async () => {
    const chain = new ChainBuilder({ seed: seed + 4 });
    chain.mine(120);
    const rpc = await harness.serve(chain);
    const first = harness.start([rpc.url], { startHeight: 60 });
    await caughtUp(harness, first, chain);
    await first.stop();
    const later = harness.start([rpc.url], { startHeight: 90 });
    await caughtUp(harness, later, chain);
    expect(later.stage.status().epoch).toBe(1);
    await later.stop();
    const earlier = harness.start([rpc.url], { startHeight: 10 });
    await harness.built(earlier, 2, chain);
    const { served, building } = await readEpochRecords(harness.log, 'eth');
    expect(served).toEqual({ epoch: 1, foldVersion: 7 });
    expect(building).toMatchObject({ epoch: 2, startHeight: 10, replacedStart: 60, cutAccepted: false });
    // Both follow the chain until the other is served.
    chain.mine(5);
    await caughtUp(harness, earlier, chain);
    await harness.built(earlier, 2, chain);
    await harness.serveEpoch(2);
    await reached(earlier, (stage) => stage.status().epoch === 2);
    const ended = await harness.groups(1);
    chain.mine(5);
    await caughtUp(harness, earlier, chain);
    expectLog(await harness.groups(2), chain, { from: 10 });
    expect(await harness.groups(1)).toEqual(ended);
    expect(earlier.stage.status().building).toBeNull();
  });

  it('reads another epoch from the accepted cut on, where no node serves the older blocks any more', async () => {
    const chain = new ChainBuilder({ seed: seed + 10 });
    chain.mine(120);
    const rpc = await harness.serve(chain);
    const older = { ...eth, venues: eth.venues.filter(({ venue }) => venue !== 'uniswap-v4') };
    const first = harness.start([rpc.url], { chain: older });
    await caughtUp(harness, first, chain);
    await first.stop();
    rpc.faults.oldestBlock = 60;
    const second = harness.start([rpc.url]);
    // Its first group is that of block 0; then nothing comes, and the served epoch follows the chain.
    await reached(second, ({ status }) => status().building?.problem != null);
    chain.mine(2);
    await caughtUp(harness, second, chain);
    const writer = await harness.log.openWriter('operator.eth');
    await writer.append([acceptedCutRecord('eth', 70)]);
    await writer.close();
    await reached(second, ({ status }) => (status().building?.head ?? 0) === chain.head.number);
    const { building } = await readEpochRecords(harness.log, 'eth');
    expect(building).toMatchObject({ startHeight: 70, replacedStart: 0, cutAccepted: true });
    expect(second.stage.status().building).toMatchObject({ epoch: building!.epoch, problem: null });
    expectLog(await harness.groups(building!.epoch), chain, { from: 70 });
    expect(second.stage.status().epoch).toBe(1);
  });

  it('takes another genesis as a new epoch, at a start and while it runs', async () => {
    const old = new ChainBuilder({ seed: seed + 5 });
    old.mine(100);
    const rpc = await harness.serve(old);
    const first = harness.start([rpc.url]);
    await caughtUp(harness, first, old);
    await first.stop();
    const fresh = new ChainBuilder({ seed: seed + 6 });
    fresh.mine(30);
    const other = await harness.serve(fresh);
    const second = harness.start([other.url]);
    await reached(second, (stage) => stage.status().epoch === 2);
    await caughtUp(harness, second, fresh);
    expectLog(await harness.groups(2), fresh);
    // The same port now serves a third chain, as a local chain that was reset does.
    const third = new ChainBuilder({ seed: seed + 7 });
    third.mine(50);
    const { port } = other;
    await other.close();
    const reset = await harness.serveOn(third, port);
    expect(reset.port).toBe(port);
    await reached(second, (stage) => stage.status().epoch === 3);
    await caughtUp(harness, second, third);
    expectLog(await harness.groups(3), third);
  });

  it('starts near the head when nothing else is said', async () => {
    const chain = new ChainBuilder({ seed: seed + 8 });
    chain.mine(500);
    const rpc = await harness.serve(chain);
    const running = harness.start([rpc.url], { startHeight: undefined });
    await caughtUp(harness, running, chain);
    const [first] = survivors(await harness.groups());
    expect(first!.height).toBe(chain.head.number - 300);
  });

  it('tells outsiders of retractions', async () => {
    const chain = new ChainBuilder({ seed: seed + 9 });
    chain.mine(40);
    const rpc = await harness.serve(chain);
    const running = harness.start([rpc.url]);
    await caughtUp(harness, running, chain);
    chain.reorg(3);
    await caughtUp(harness, running, chain);
    const groups = await harness.groups();
    expectLog(groups, chain);
    const retraction = groups.find((group) => group.kind === 'retract')!;
    const records = (
      await Promise.all(
        Array.from({ length: retractionsTopic.partitions }, (_, n) =>
          harness.log.readKeyed(retractionsTopic, n, 0n, 10),
        ),
      )
    ).flat();
    expect(records).toHaveLength(1);
    expect(JSON.parse(Buffer.from(records[0]!.value!).toString())).toMatchObject({
      type: 'retraction',
      chain: 'eth',
      seq: retraction.seq,
      block: retraction.height,
    });
  });
});
