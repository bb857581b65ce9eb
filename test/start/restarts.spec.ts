import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { AnvilRpc } from '#libs/devkit/devnet/evm/anvil-rpc.js';
import { startLocalChain } from '#libs/devkit/devnet/evm/local-chain.js';
import { removeFolderSync } from '#libs/devkit/testing/remove-folder.js';

/** What `npm start` runs on when no node is configured survives any number of starts, not only the second. */
const STARTS = 7;

interface Block {
  hash: string;
  number: string;
  timestamp: string;
}

describe('the local chain, started again and again on one folder', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tidepool-restarts-'));

  afterAll(() => removeFolderSync(dir));

  const genesisTimes = (): number[] => {
    const text = gunzipSync(readFileSync(join(dir, 'state.json.gz'))).toString('utf8');
    const state = JSON.parse(text) as { blocks: { header: Block }[] };
    return state.blocks
      .filter(({ header }) => Number(header.number) === 0)
      .map(({ header }) => Number(header.timestamp));
  };

  test('stays the same chain: one genesis, and every block it ever had', async () => {
    const blocks = new Map<number, string>();
    for (let round = 0; round < STARTS; round++) {
      const chain = await startLocalChain({ chain: 'eth', dataDir: dir, historyBlocks: 3, autoMine: false });
      const rpc = new AnvilRpc(chain.rpcUrl);
      try {
        expect(chain.resumed).toBe(round > 0);
        for (const [height, hash] of blocks) {
          const block = await rpc.call<Block>('eth_getBlockByNumber', [`0x${height.toString(16)}`, false]);
          expect([height, block?.hash]).toEqual([height, hash]);
        }
        await chain.mine();
        const head = Number(await rpc.call<string>('eth_blockNumber'));
        for (let height = 0; height <= head; height++) {
          if (blocks.has(height)) continue;
          const { hash } = await rpc.call<Block>('eth_getBlockByNumber', [`0x${height.toString(16)}`, false]);
          blocks.set(height, hash);
        }
      } finally {
        await rpc.close();
        await chain.stop();
      }
      // Which of two blocks 0 a node takes for genesis is chance: there must be one.
      expect(genesisTimes()).toHaveLength(1);
    }
  });
});
