import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { headerHash, receiptsRoot } from '#libs/devkit/chain-builder/block-hash.js';
import { quantityText, type RpcReceipt } from '#libs/devkit/chain-builder/rpc-shapes.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { AnvilRpc } from './anvil-rpc.js';
import { type LocalChain, startLocalChain } from './local-chain.js';
import type { Block } from './test/read-chain.js';

const KEPT = 40;

/** A chain that lives for days: the node holds its newest blocks whole, and a start leaves half of them. */
describe('the history of a local chain', () => {
  let dataDir: string;
  let chain: LocalChain;
  let rpc: AnvilRpc;

  const start = async () => {
    chain = await startLocalChain({
      ...{ chain: 'eth', dataDir, seed: 3, historyBlocks: 3, keepBlocks: KEPT, autoMine: false },
    });
    rpc = new AnvilRpc(chain.rpcUrl);
  };
  const stop = async () => {
    await rpc.close();
    await chain.stop();
  };
  const blockAt = (height: number) => rpc.call<Block | null>('eth_getBlockByNumber', [quantityText(height), true]);

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tidepool-bounded-'));
    await start();
  });

  afterAll(async () => {
    await stop();
    await removeFolder(dataDir);
  });

  async function expectWhole(from: number, to: number): Promise<void> {
    let mined = 0;
    for (let height = from; height <= to; height++) {
      const block = (await blockAt(height))!;
      expect(`0x${headerHash(block)}`).toBe(block.hash);
      const receipts = await rpc.call<RpcReceipt[]>('eth_getBlockReceipts', [quantityText(height)]);
      expect([height, `0x${receiptsRoot(receipts)}`]).toEqual([height, block.receiptsRoot]);
      mined += receipts.length;
    }
    expect(mined).toBeGreaterThan(to - from);
  }

  test('is whole for its newest blocks, and below them only headers are left', async () => {
    expect([chain.oldestHeight, chain.keptBlocks]).toEqual([0, KEPT / 2]);
    for (let i = 0; i < 2 * KEPT; i++) await chain.mine();
    const head = await chain.headHeight();
    await expectWhole(head - KEPT + 1, head);
    const old = await Promise.all(Array.from({ length: KEPT }, (_, i) => blockAt(head - 2 * KEPT + i)));
    expect(old.every((block) => block !== null && block.transactions.length === 0)).toBe(true);
  });

  test('is half as long after a start, with the same genesis, and the chain goes on', async () => {
    for (let round = 0; round < 2; round++) {
      const before = (await blockAt(await chain.headHeight()))!;
      const { genesisHash } = chain;
      await stop();
      await start();
      const head = await chain.headHeight();
      expect([chain.resumed, chain.genesisHash, (await blockAt(head))!.hash]).toEqual([true, genesisHash, before.hash]);
      expect(chain.oldestHeight).toBe(head);
      const oldest = head - KEPT / 2 + 1;
      await expectWhole(oldest, head);
      expect([await blockAt(oldest - 1), (await blockAt(0))!.hash]).toEqual([null, genesisHash]);
      for (let i = 0; i < 10; i++) await chain.mine();
      await chain.reorg(4);
      await expectWhole(oldest, await chain.headHeight());
    }
  });

  test('leaves a state of bounded size', async () => {
    await stop();
    const state = JSON.parse(gunzipSync(await readFile(join(dataDir, 'state.json.gz'))).toString('utf8'));
    expect(state.blocks.length).toBeLessThanOrEqual(KEPT + 1);
    await start();
    const { accounts } = state as { accounts: Record<string, { storage: Record<string, string> }> };
    const zero = Object.values(accounts).flatMap(({ storage }) =>
      Object.values(storage).filter((v) => BigInt(v) === 0n),
    );
    expect(zero.length).toBeLessThan(500);
  });
});

/** Folders of versions before the rules were named were made under the node's own. */
test('a chain that was made under other rules keeps them over its starts', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidepool-rules-'));
  try {
    for (const hardfork of [null, undefined, undefined]) {
      const made = { historyBlocks: 3, autoMine: false, hardfork };
      const chain = await startLocalChain({ chain: 'eth', dataDir, seed: 3, ...made });
      await chain.mine();
      const block = await chain.rpc.call<Block>('eth_getBlockByNumber', ['latest', true]);
      await chain.stop();
      expect(block.requestsHash).toBeDefined();
    }
  } finally {
    await removeFolder(dataDir);
  }
});
