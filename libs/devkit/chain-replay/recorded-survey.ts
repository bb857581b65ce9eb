import { topic } from '#libs/devkit/chain-builder/abi-words.js';
import type { TokenSpec } from '#libs/devkit/chain-builder/market-state.js';
import { pairAddress } from '#libs/devkit/chain-builder/pair-rules.js';
import type { RpcReceipt } from '#libs/devkit/chain-builder/rpc-shapes.js';
import type { RawBlock } from './loop-reset.js';
import { tokenOfCreation } from './recorded-state.js';

/** What a recording says about its own contracts: venues, tokens, pools, and where its traffic begins. */
export interface Recording {
  chainId: string;
  blocks: RawBlock['block'][];
  receipts: RpcReceipt[][];
}

export interface RecordedVenue {
  venue: 'uniswap-v2' | 'uniswap-v3' | 'pancakeswap-v2' | 'pancakeswap-v3';
  factory: string;
}

const PAIR_CREATED = topic('PairCreated(address,address,address,uint256)');
const POOL_CREATED = topic('PoolCreated(address,address,uint24,int24,address)');
const MINT_V3 = topic('Mint(address,address,int24,int24,uint128,uint256,uint256)');
const SWAP_CAKE_V3 = topic('Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)');

export interface Survey {
  venues: RecordedVenue[];
  tokens: TokenSpec[];
  pools: Set<string>;
  contracts: Set<string>;
  lastCreation: number;
}

/** What the recording says about its own contracts. */
export function surveyOf(recording: Recording): Survey {
  const pairFactories = new Map<string, RecordedVenue['venue']>();
  const poolsOfFactory = new Map<string, Set<string>>();
  const cakePools = new Set<string>();
  const created = new Map<string, string>();
  const pools = new Set<string>();
  let lastCreation = 0;
  recording.receipts.forEach((receipts, height) => {
    receipts.forEach((receipt, index) => {
      const input = recording.blocks[height]?.transactions[index]?.input ?? '0x';
      if (receipt.contractAddress) created.set(receipt.contractAddress, input);
      for (const log of receipt.logs) {
        const [kind, topic1, topic2] = log.topics;
        if (kind === SWAP_CAKE_V3) cakePools.add(log.address);
        if (kind !== PAIR_CREATED && kind !== POOL_CREATED && kind !== MINT_V3) continue;
        lastCreation = height;
        if (kind === MINT_V3) continue;
        const pool = `0x${log.data.slice(kind === PAIR_CREATED ? 26 : 90, kind === PAIR_CREATED ? 66 : 130)}`;
        pools.add(pool);
        if (kind === POOL_CREATED) {
          const known = poolsOfFactory.get(log.address) ?? new Set();
          poolsOfFactory.set(log.address, known.add(pool));
        } else {
          const [token0, token1] = [`0x${topic1?.slice(26)}`, `0x${topic2?.slice(26)}`];
          const genuine = pairAddress(log.address, token0, token1) === pool;
          pairFactories.set(log.address, genuine ? 'uniswap-v2' : 'pancakeswap-v2');
        }
      }
    });
  });
  const venues: RecordedVenue[] = [...pairFactories].map(([factory, venue]) => ({ venue, factory }));
  for (const [factory, own] of poolsOfFactory) {
    const cake = [...own].some((pool) => cakePools.has(pool));
    venues.push({ venue: cake ? 'pancakeswap-v3' : 'uniswap-v3', factory });
  }
  const tokens = [...created].flatMap(([contract, input]) => tokenOfCreation(contract, input) ?? []);
  return { venues, tokens, pools, contracts: new Set(created.keys()), lastCreation };
}
