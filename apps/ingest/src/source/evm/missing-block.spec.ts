import { RpcPool } from '#libs/chain/chains/evm/rpc/rpc-pool.js';
import { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { SourceHarness, seed } from '../test/harness.js';
import { missingBlock } from './missing-block.js';

const HEAD = 200;

it('says of a missing block that the node has not come to it, and only of old ones that they are gone', async () => {
  const harness = await SourceHarness.open();
  const chain = new ChainBuilder({ seed });
  while (chain.head.number < HEAD) chain.mine(1);
  const { url } = await harness.serve(chain);
  const pool = new RpcPool({ urls: [url], chainId: chain.chainId });
  try {
    const kindOf = (height: number, what: 'block' | 'receipts'): Promise<string> =>
      pool.use(async (node) => (await missingBlock(node, height, what, new AbortController().signal)).kind);
    expect(await kindOf(HEAD + 1, 'block')).toBe('head-not-reached');
    expect(await kindOf(HEAD, 'block')).toBe('head-not-reached');
    expect(await kindOf(HEAD - 63, 'block')).toBe('head-not-reached');
    expect(await kindOf(HEAD - 64, 'block')).toBe('pruned');
    expect(await kindOf(HEAD + 1, 'receipts')).toBe('head-not-reached');
    expect(await kindOf(HEAD, 'receipts')).toBe('pruned');
  } finally {
    await pool.close();
    await harness.close();
  }
});
