import { metaOf } from '#apps/api/src/rows/display.js';
import { LiveMarket } from '#libs/devkit/testing/market/live-market.js';
import { foldAll, randomMarket, temporaryStore } from '#libs/devkit/testing/market/market-harness.js';
import { until } from '#libs/devkit/testing/until.js';
import { foldVersion } from '#libs/pipeline/fold/chain-fold.js';
import { storeTables } from '#libs/pipeline/sink/sink-tables.js';
import { MarketTables } from '#libs/pipeline/store/market/market-tables.js';
import { flipPointer } from '#libs/pipeline/store/market/pointer.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import type { BlockProof, BlocksGroup, ReferenceSet } from '#libs/protocol/blocks.js';
import { type ChainReader, createChainReader } from '#libs/serve/reader/chain-reader.js';
import { asOfBlock } from '#libs/serve/reader/chain-view.js';
import { storeSource } from '#libs/serve/reader/store-source.js';
import { sinkAll } from './real-pipeline.js';

/** How a block was checked, from the log to `meta`, by the real fold, sink and reader. */

const CHAIN = 'eth';
const hashAt = (height: number) => height.toString(16).padStart(64, '0');
const SAID: readonly (BlockProof | undefined)[] = ['full', 'sampled', undefined, 'none'];
const [FIRST, SECOND, UNSAID, LAST] = [101, 102, 103, 104];

/** The base at seq 0, four blocks, and a retraction of all but the first of them. */
function history(reference: ReferenceSet): BlocksGroup[] {
  const at = (seq: number, height: number) => ({
    ...{ chain: CHAIN, epoch: 1, seq, height, time: height * 1_000 },
    ...{ hash: hashAt(height), parentHash: hashAt(height - 1) },
  });
  const nothing = { txs: [], tokens: [], pools: [], events: [], anchors: [] };
  return [
    { kind: 'epoch', ...at(0, FIRST - 1), reference },
    ...SAID.map(
      (proof, n): BlocksGroup => ({
        ...{ kind: 'block', ...at(n + 1, FIRST + n), source: 'http', observedAt: 0, ...nothing },
        ...(proof !== undefined && { proof }),
      }),
    ),
    { kind: 'retract', ...at(SAID.length + 1, FIRST), fromSeq: 2 },
  ];
}

describe('the proof of a block', () => {
  const { chain, reference } = randomMarket(1, { groups: 1 });
  const facts = foldAll(history(reference));
  const [BEFORE, RETRACTED] = [SAID.length, SAID.length + 1];
  let store: AnalyticsStore;
  let dispose: () => Promise<void>;
  let live: LiveMarket;
  const started: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    ({ store, dispose } = await temporaryStore());
    live = await LiveMarket.open(facts);
  });
  afterEach(async () => {
    await stopReaders();
    await live.close();
    await dispose();
  });

  const stopReaders = async () => {
    for (const stop of started.splice(0)) await stop();
  };

  /** A reader that begins with what the tables have now. */
  function start(): ChainReader {
    const reader = createChainReader({ chain, log: live.log, source: storeSource(store, CHAIN), pollMs: 10 });
    const abort = new AbortController();
    const ended = reader.run(abort.signal);
    started.push(() => {
      abort.abort();
      return ended;
    });
    return reader;
  }

  async function served(reader: ChainReader, seq: number) {
    await until(() => reader.status().ready && reader.status().seq === seq, { howFar: () => reader.status() });
    return reader.view();
  }

  const sink = () => sinkAll(live.log, store, CHAIN, 1);

  async function flip(): Promise<void> {
    await storeTables(store, CHAIN).generation(1).ensure();
    await flipPointer(store, CHAIN, { generation: 1, epoch: 1, foldVersion, seq: -1 });
  }

  it('is in the answers of each block as it comes, and of the one that a retraction goes back to', async () => {
    await live.publish(1);
    await sink();
    await flip();
    const reader = start();
    const shown: string[] = [];
    for (let seq = 1; seq <= RETRACTED; seq++) {
      await live.publish(seq);
      const { block, proof } = metaOf(await served(reader, seq));
      shown.push(`${block} ${proof}`);
    }
    expect(shown).toEqual([
      ...[`${FIRST} full`, `${SECOND} sampled`, `${UNSAID} none`, `${LAST} none`],
      `${FIRST} full`,
    ]);
  });

  it('is that of the checkpoint after a start, also after a retraction, and that of the row as of an older block', async () => {
    await flip();
    for (const [seq, block, proof] of [
      [1, FIRST, 'full'],
      [2, SECOND, 'sampled'],
      [BEFORE, LAST, 'none'],
      [RETRACTED, FIRST, 'full'],
    ] as const) {
      await live.publish(seq);
      await sink();
      const view = await served(start(), seq);
      expect(view.groups).toEqual([]);
      expect(metaOf(view)).toMatchObject({ block, proof });
      if (seq === BEFORE) {
        expect(metaOf(await asOfBlock(view, SECOND))).toMatchObject({ block: SECOND, proof: 'sampled' });
        expect(metaOf(await asOfBlock(view, UNSAID))).toMatchObject({ block: UNSAID, proof: 'none' });
      }
      await stopReaders();
    }
  });

  it('stays in a pinned view, wherever its block is by then', async () => {
    await live.publish(2);
    await sink();
    await flip();
    const reader = start();
    const { pin } = await served(reader, 2);
    await live.publish(BEFORE);
    await served(reader, BEFORE);
    const later = reader.view();
    expect(metaOf(reader.view(pin))).toMatchObject({ block: SECOND, proof: 'sampled' });
    expect(metaOf(await asOfBlock(later, FIRST))).toMatchObject({ block: FIRST, proof: 'full' });
  });

  it('is none where the tables are of a program that knew of no proofs', async () => {
    await live.publish(BEFORE);
    await sink();
    await flip();
    const { database } = new MarketTables(store, CHAIN, 1);
    for (const table of ['blocks', 'checkpoints'])
      await store.command(`ALTER TABLE ${database}.${table} DROP COLUMN proof`);
    const view = await served(start(), BEFORE);
    expect(metaOf(view)).toMatchObject({ block: LAST, proof: 'none' });
    expect(metaOf(await asOfBlock(view, FIRST))).toMatchObject({ block: FIRST, proof: 'none' });
  });

  it('is unknown, and shown as none, at the base of an epoch', async () => {
    await live.publish(0);
    await sink();
    await flip();
    expect(metaOf(await served(start(), 0))).toMatchObject({ block: FIRST - 1, proof: 'none' });
  });
});
