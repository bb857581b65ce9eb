import { encodeFunctionData, type Hex as Prefixed, parseAbi, toEventSelector } from 'viem';
import type { Hex } from '#libs/core/ids.js';
import type { ChainPool } from '#libs/devkit/devnet/evm/local-chain.js';
import type { PoolRecord, TickRecord } from '#libs/protocol/blocks.js';
import type { PoolStateFact } from '#libs/protocol/facts.js';
import { PoolBook } from '#libs/routing/pools/pool-book.js';
import type { BuildChain } from './build-chain.js';

const ABI = parseAbi([
  'function getReserves() view returns (uint112, uint112, uint32)',
  'function slot0() view returns (uint160, int24)',
  'function liquidity() view returns (uint128)',
  'function ticks(int24 tick) view returns (uint128, int128)',
]);
const MINT = toEventSelector('Mint(address,address,int24,int24,uint128,uint256,uint256)');

/** The pools of a local chain as the chain itself has them at its head, read by calls; ticks are found by their Mint logs. */
export async function readBook(local: BuildChain): Promise<PoolBook> {
  const { rpc } = local.chain;
  const head = await rpc.call<{ number: string; hash: string; timestamp: string }>('eth_getBlockByNumber', [
    'latest',
    false,
  ]);
  const book = new PoolBook();
  for (const pool of local.chain.pools) book.load(recordOf(local, pool), await stateOf(local, pool), 0);
  const { number, hash, timestamp } = head;
  book.startAt(0, { height: Number(number), hash: hash.slice(2), time: Number(timestamp) * 1000 });
  return book;
}

const bare = (address: string): Hex => address.slice(2);

function recordOf(local: BuildChain, pool: ChainPool): PoolRecord {
  const { venue } = local.venue(pool.version);
  return {
    pool: bare(pool.address),
    venue,
    kind: pool.version === 'v2' ? 'constant-product' : 'concentrated',
    token0: bare(pool.token0),
    token1: bare(pool.token1),
    feePpm: pool.fee,
    tickSpacing: pool.version === 'v3' ? pool.tickSpacing : 0,
    created: true,
  };
}

async function stateOf(local: BuildChain, pool: ChainPool): Promise<PoolStateFact> {
  const { rpc } = local.chain;
  const view = async (data: Prefixed): Promise<bigint[]> => {
    const answer = await rpc.call<string>('eth_call', [{ to: pool.address, data }, 'latest']);
    return (answer.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
  };
  const fact = {
    pool: bare(pool.address),
    reserve0: 0n,
    reserve1: 0n,
    concentrated: null,
    anchored: true,
    setApart: null,
  };
  if (pool.version === 'v2') {
    const [reserve0, reserve1] = await view(encodeFunctionData({ abi: ABI, functionName: 'getReserves' }));
    return { ...fact, reserve0: reserve0!, reserve1: reserve1! };
  }
  const filter = { address: pool.address, topics: [MINT], fromBlock: '0x0', toBlock: 'latest' };
  const logs = await rpc.call<{ topics: string[] }[]>('eth_getLogs', [filter]);
  const bounds = new Set(
    logs.flatMap(({ topics }) => topics.slice(2).map((topic) => Number(BigInt.asIntN(24, BigInt(topic))))),
  );
  const ticks: TickRecord[] = [];
  for (const tick of bounds) {
    const [gross, net] = await view(encodeFunctionData({ abi: ABI, functionName: 'ticks', args: [tick] }));
    if (gross !== 0n) ticks.push({ tick, liquidityGross: gross!, liquidityNet: BigInt.asIntN(128, net!) });
  }
  const [sqrtPriceX96, tick] = await view(encodeFunctionData({ abi: ABI, functionName: 'slot0' }));
  const [liquidity] = await view(encodeFunctionData({ abi: ABI, functionName: 'liquidity' }));
  const concentrated = {
    sqrtPriceX96: sqrtPriceX96!,
    tick: Number(BigInt.asIntN(24, tick!)),
    liquidity: liquidity!,
    ticks,
    ticksComplete: true,
  };
  return { ...fact, reserve0: 1n, reserve1: 1n, concentrated };
}
