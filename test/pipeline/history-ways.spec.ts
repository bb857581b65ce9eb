import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSource } from '#apps/ingest/src/create-ingest.js';
import { HISTORY_WAYS, type HistoryWay } from '#apps/ingest/src/source/evm/history.js';
import { TRANSFER_TOPIC } from '#libs/chain/chains/evm/erc20/transfer.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { startFaultRpc } from '#libs/devkit/chain-faults/fault-rpc.js';
import { RecordedChain } from '#libs/devkit/chain-replay/recorded-chain.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { testScale } from '#libs/devkit/testing/seeded-random.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { openChdbStore } from '#libs/pipeline/store/chdb-store.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { silentLogger } from '#libs/platform/logger.js';
import type { BlockGroup } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { blocksTopic } from '#libs/protocol/topics.js';
import { LACKS_OF_WAY } from '../../bench/lib/history-ways.js';
import { recordedSpec } from '../../bench/lib/recorded-spec.js';
import { EPOCH, hashesOf, projectAll, runUntil, sinkAll } from './real-pipeline.js';

/**
 * The recorded chain by each way of reading a history, through source, fold and tables: whichever question the blocks are
 * the answers to, they say the same and leave the same tables.
 */
const LEAST_BLOCKS = 240;
/** The call by which a way is known, and whose number is at least that of the ranges or of the blocks. */
const ASKED: Readonly<Record<HistoryWay, string>> = {
  ranges: 'eth_getLogs',
  receipts: 'eth_getBlockReceipts',
  addresses: 'eth_getLogs',
  transactions: 'eth_getTransactionReceipt',
};

interface Outcome {
  readonly blocks: readonly object[];
  readonly proofs: ReadonlySet<BlockGroup['proof']>;
  readonly transfers: number;
  readonly hashes: Readonly<Record<string, string>>;
  readonly asked: Readonly<Record<string, number>>;
}

let dir: string;
let store: AnalyticsStore;
let chain: RecordedChain;
let spec: ChainSpec;
let head: number;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tidepool-history-ways-'));
  store = await openChdbStore({ dir: join(dir, 'store') });
  chain = new RecordedChain();
  spec = recordedSpec(chain);
  head = Math.max(LEAST_BLOCKS, Math.round(chain.headHeight * Math.min(1, testScale)));
});

afterAll(async () => {
  await store?.close();
  await removeFolder(dir);
});

/** What is left of the chain where its history is read that way, before a node that the way is made for. */
async function readBy(way: HistoryWay, generation: number): Promise<Outcome> {
  const rpc = await startFaultRpc({ chain, faults: { missingMethods: LACKS_OF_WAY[way] } });
  rpc.setHead(head);
  const log = await openEmbeddedLog({ dir: join(dir, way) });
  try {
    const source = createSource({
      ...{ log, chain: spec, rpcUrls: [rpc.url], startHeight: 0, dataDir: join(dir, `${way}-data`) },
      ...{ reading: { way, proof: 'sampled' }, logger: silentLogger },
    });
    await runUntil(source, async () => source.status().head === head);
    const blocks = await blocksOf(log);
    await projectAll(log, spec.slug);
    const sealTo = (chain.timestampAt(head) + 3_600) * 1_000;
    const checkpoint = await sinkAll(log, store, spec.slug, generation, { sealTo });
    return {
      blocks: blocks.map(said),
      proofs: new Set(blocks.map(({ proof }) => proof)),
      transfers: blocks.flatMap(({ events }) => events).filter(({ kind }) => kind === 'transfer').length,
      hashes: await hashesOf(store, spec.slug, checkpoint, { ignoreSeq: true }),
      asked: rpc.stats.methods,
    };
  } finally {
    await log.close();
    await rpc.close();
  }
}

async function blocksOf(log: EventLog): Promise<BlockGroup[]> {
  const blocks: BlockGroup[] = [];
  const options = { fromSeq: 0, signal: new AbortController().signal, untilEnd: true };
  for await (const batch of log.readGroups(blocksTopic(spec.slug, EPOCH), options)) {
    for (const { value } of batch) {
      const group = decodeBlocksGroup(value);
      expect(group.kind).not.toBe('retract');
      if (group.kind === 'block') blocks.push(group);
    }
  }
  return blocks;
}

/**
 * What a block says. How it was proven follows from the way, when it was seen from the clock, and its number in the topic
 * from the seals between the blocks, of which there is one at most for each range.
 */
const said = ({ proof: _p, observedAt: _o, seq: _s, ...content }: BlockGroup): object => content;

/** Logs of transfers that the node serves. */
function servedTransfers(): number {
  let transfers = 0;
  for (let height = 0; height <= head; height++) {
    transfers += chain.templateAt(height).keys.filter(({ topics }) => topics[0] === TRANSFER_TOPIC).length;
  }
  return transfers;
}

it('the recorded chain leaves the same blocks and tables by every way of reading its history', async () => {
  const outcomes = new Map<HistoryWay, Outcome>();
  for (const [n, way] of HISTORY_WAYS.entries()) outcomes.set(way, await readBy(way, n + 1));
  const { blocks, hashes } = outcomes.get('ranges')!;
  expect(blocks.length).toBe(head + 1);
  expect(Object.values(hashes).filter((hash) => !hash.startsWith('0:')).length).toBeGreaterThan(0);
  for (const [way, outcome] of outcomes) {
    expect({ way, hashes: outcome.hashes }).toEqual({ way, hashes });
    expect({ way, blocks: outcome.blocks }).toEqual({ way, blocks });
    expect({ way, transfers: outcome.transfers }).toEqual({ way, transfers: servedTransfers() });
    expect(outcome.asked[ASKED[way]]).toBeGreaterThan(0);
    for (const method of LACKS_OF_WAY[way]) expect(outcome.asked[method] ?? 0).toBeLessThan(head);
    expect(outcome.proofs.has(way === 'ranges' ? 'sampled' : 'full')).toBe(true);
  }
});
