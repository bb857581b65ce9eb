import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { findTransactions, type ReceiptLog } from '#apps/cli/src/decode/documents.js';
import { evmCurves } from '#libs/chain/launchpads/evm-registry.js';
import { poolEventTable } from '#libs/chain/market-ports/evm/venue-registry.js';
import { evmVenues } from '#libs/chain/venues/evm-registry.js';
import type { Hex } from '#libs/core/ids.js';
import { TokenTable } from '#libs/pipeline/fold/token-table.js';
import { TradeOwners } from '#libs/pipeline/fold/trade-owners.js';
import type { BlockGroup, ChainEvent, PoolRecord, SwapEvent, TransferEvent } from '#libs/protocol/blocks.js';

/** The recorded receipts of the command `decode`, as the block groups of their transactions. */
interface Receipt {
  from: string;
  logs: { address: string; topics: string[]; data: string }[];
}
export const receipts: { name: string; chainId: number; receipt: Receipt }[] = JSON.parse(
  gunzipSync(readFileSync(join(process.cwd(), 'apps/cli/src/decode/fixtures/receipts.json.gz'))).toString(),
);
const readers = poolEventTable([...evmVenues.values(), ...evmCurves.values()]);
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const hex = (text: string): Hex => text.slice(2).toLowerCase();
export const party = (topic: string): Hex => hex(topic).slice(24);
/** Wrapped coin by chain. */
const COINS: Record<number, Hex> = {
  1: 'c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  137: '0d500b1d8e8ef31e21c99d1db9a6444d3adf1270',
  42161: '82af49447d8a07e3bd95bd0d56f35241523fbab1',
};

/** A receipt as the block group of its transaction; of its swaps those whose tokens its transfers tell. */
function blockOf({ chainId, receipt }: (typeof receipts)[number]): {
  group: BlockGroup;
  pools: Map<Hex, PoolRecord>;
} {
  const logs = findTransactions(receipt).flatMap((found): ReceiptLog[] => (found.family === 'evm' ? found.logs : []));
  const events: ChainEvent[] = [];
  for (const { address, topics, data, ordinal } of receipt.logs.map((log, ordinal) => ({ ...log, ordinal }))) {
    if (topics[0] === TRANSFER && topics.length === 3) {
      const [from, to, token] = [party(topics[1]!), party(topics[2]!), hex(address)];
      events.push({ kind: 'transfer', tx: 0, ordinal, token, from, to, amount: BigInt(data) });
      continue;
    }
    const event = readers.get(topics[0] ?? '')?.decode(logs[ordinal]!, 0, ordinal);
    if (event?.kind === 'swap') events.push(event);
  }
  const transfers = events.filter((event): event is TransferEvent => event.kind === 'transfer');
  const moved = (amount: bigint, pool: Hex, into: boolean): Hex | undefined =>
    transfers.find(
      (each) => (each.amount === amount || each.amount === -amount) && (into ? each.to : each.from) === pool,
    )?.token;
  const pools = new Map<Hex, PoolRecord>();
  for (const event of events) {
    if (event.kind !== 'swap') continue;
    const token0 = moved(event.amount0, event.pool, event.amount0 > 0n);
    const token1 = moved(event.amount1, event.pool, event.amount1 > 0n);
    if (token0 === undefined || token1 === undefined) continue;
    const { pool } = event;
    const rest = { kind: 'constant-product', feePpm: 0, tickSpacing: 0, created: false } as const;
    pools.set(pool, { pool, venue: 'uniswap-v2', token0, token1, ...rest });
  }
  const chain = chainId === 1 ? 'eth' : `${chainId}`;
  const known = events.filter((event) => event.kind !== 'swap' || pools.has(event.pool));
  const group = {
    chain,
    txs: [{ id: '', index: 0, sender: hex(receipt.from) }],
    events: known,
  } as unknown as BlockGroup;
  return { group, pools };
}

/** Whose trades its swaps are. */
export function ownersOf(receipt: (typeof receipts)[number]): {
  owners: Hex[];
  swaps: SwapEvent[];
  group: BlockGroup;
  pools: Map<Hex, PoolRecord>;
  coin: Hex;
  sender: Hex;
} {
  const { group, pools } = blockOf(receipt);
  const coin = COINS[receipt.chainId] ?? 'c0';
  const table = new TokenTable({
    ...{ family: 'evm', genesisHash: '', startHeight: 0, decoderVersion: 1, stables: [] },
    coin: { token: coin, symbol: 'COIN', decimals: 18 },
    rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
  });
  for (const pool of pools.values()) table.addPool(pool);
  const owners = new TradeOwners(group, table);
  const swaps = group.events.filter((event): event is SwapEvent => event.kind === 'swap');
  const found = swaps.map((swap) => owners.ownerOf(swap));
  return { owners: found, swaps, group, pools, coin, sender: group.txs[0]!.sender };
}
