import { encodeFunctionData, parseAbi } from 'viem';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { startLocalChain } from '#libs/devkit/devnet/evm/local-chain.js';
import { stopWithUs, temporaryFolder } from './no-orphans.js';

const ABI = parseAbi([
  'function quoteExactInputSingle((address tokenIn, address tokenOut, uint256 amountIn, uint24 fee, uint160 limit)) returns (uint256, uint160, uint32, uint256)',
]);

/** What a router that asks the chain waits for: one eth_call of the genuine QuoterV2 for one pool, node on loopback. */
export async function timeQuoterCalls(count: number): Promise<number[]> {
  const dataDir = temporaryFolder('tidepool-bench-quoter-');
  const chain = await startLocalChain({ chain: 'eth', dataDir, historyBlocks: 1, autoMine: false, reorgs: false });
  const stop = stopWithUs(() => chain.stop());
  try {
    const venue = chainSpec('eth')!.venues.find(({ protocol }) => protocol === 'v3')!;
    const pool = chain.pools.find(({ version }) => version === 'v3')!;
    const { decimals } = chain.tokens.find(({ address }) => address.toLowerCase() === pool.token0.toLowerCase())!;
    const [tokenIn, tokenOut] = [pool.token0, pool.token1].map(withPrefix) as [`0x${string}`, `0x${string}`];
    const data = encodeFunctionData({
      abi: ABI,
      functionName: 'quoteExactInputSingle',
      args: [{ tokenIn, tokenOut, amountIn: 10n ** BigInt(decimals), fee: pool.fee, limit: 0n }],
    });
    const call = { to: withPrefix(venue.contracts!.quoter!.address), data };
    const samples: number[] = [];
    for (let i = 0; i < count + 20; i++) {
      const started = performance.now();
      const answer = await chain.rpc.call<string>('eth_call', [call, 'latest']);
      if (BigInt(answer.slice(0, 66)) === 0n) throw new Error('the quoter gave nothing');
      if (i >= 20) samples.push(performance.now() - started);
    }
    return samples;
  } finally {
    await stop();
  }
}

function withPrefix(hex: string): `0x${string}` {
  return hex.startsWith('0x') ? (hex as `0x${string}`) : `0x${hex}`;
}
