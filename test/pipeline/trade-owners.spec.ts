import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { findTransactions, type ReceiptLog } from '#apps/cli/src/decode/documents.js';
import { evmCurves } from '#libs/chain/launchpads/evm-registry.js';
import { poolEventTable } from '#libs/chain/market-ports/evm/venue-registry.js';
import { evmVenues } from '#libs/chain/venues/evm-registry.js';
import type { Hex } from '#libs/core/ids.js';
import { naiveOwner } from '#libs/devkit/testing/histories/naive-owner.js';
import { TokenTable } from '#libs/pipeline/fold/token-table.js';
import { TradeOwners } from '#libs/pipeline/fold/trade-owners.js';
import type { BlockGroup, ChainEvent, PoolRecord, SwapEvent, TransferEvent } from '#libs/protocol/blocks.js';

interface Receipt {
  from: string;
  logs: { address: string; topics: string[]; data: string }[];
}
const receipts: { name: string; chainId: number; receipt: Receipt }[] = JSON.parse(
  gunzipSync(readFileSync(join(process.cwd(), 'apps/cli/src/decode/fixtures/receipts.json.gz'))).toString(),
);
const readers = poolEventTable([...evmVenues.values(), ...evmCurves.values()]);
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const hex = (text: string): Hex => text.slice(2).toLowerCase();
const party = (topic: string): Hex => hex(topic).slice(24);
/** Wrapped coin by chain. */
const COINS: Record<number, Hex> = {
  1: 'c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  137: '0d500b1d8e8ef31e21c99d1db9a6444d3adf1270',
  42161: '82af49447d8a07e3bd95bd0d56f35241523fbab1',
};

/** A receipt as the block group of its transaction; of its swaps those whose tokens its transfers tell. */
function blockOf({ chainId, receipt }: (typeof receipts)[number]): { group: BlockGroup; pools: Map<Hex, PoolRecord> } {
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

function ownersOf(receipt: (typeof receipts)[number]): { owners: Hex[]; naive: Hex[]; sender: Hex } {
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
  return {
    owners: swaps.map((swap) => owners.ownerOf(swap)),
    naive: swaps.map((swap) => naiveOwner(group, swap, pools, coin)),
    sender: group.txs[0]!.sender,
  };
}

const COW_TRADE = '0xa07a543ab8a018198e99ca0184c93fe9050a79400a0a723441f84de1d972cc17';

describe('whose trades the swaps of recorded receipts are', () => {
  it('is who signed the order, as the settlement says, where a solver sent it; the solver where it cannot be told', () => {
    const found: Record<string, string[]> = {};
    for (const receipt of receipts) {
      const signed = receipt.receipt.logs.filter(({ topics }) => topics[0] === COW_TRADE);
      const { owners, sender } = ownersOf(receipt);
      if (signed.length === 0 || owners.length === 0) continue;
      const able = [sender, ...signed.map(({ topics }) => party(topics[1]!))];
      expect(able).toEqual(expect.arrayContaining(owners));
      found[receipt.name.split('_0x')[1]!] = owners.map((owner) => (owner === sender ? 'sender' : owner.slice(0, 6)));
    }
    expect(found).toEqual({
      '024e1da9dc': ['c37b40'],
      a251a5069f: ['sender', 'sender'],
      f751e1aa98: ['b39186', 'c37b40'],
      '2c8cac577a': ['ba3cb4'],
      dbe490bbfa: ['9531c0', '9531c0'],
      '14e73a3bbc': ['dd84ce'],
      '31051b28d2': ['2b8889', '696abc', '696abc'],
      '5871cd5d19': ['f654cb', '43f9a4', 'c5c75c'],
      e2d6aa6366: ['40a50c', '24d734'],
      d1b5ca7b76: ['c37b40', 'c37b40'],
    });
  });

  it('is who gave the tokens where a relay sent them, and the contract of a token that sells what it taxed', () => {
    const found: Record<string, string[]> = {};
    for (const receipt of receipts) {
      const { owners, sender } = ownersOf(receipt);
      if (receipt.receipt.logs.some(({ topics }) => topics[0] === COW_TRADE)) continue;
      if (owners.every((owner) => owner === sender)) continue;
      found[receipt.name.split('_0x')[1]!] = owners.map((owner) => (owner === sender ? 'sender' : owner.slice(0, 6)));
    }
    expect(found).toEqual({
      b77f8e36a8: ['e4bef0', 'e4bef0'],
      f0be288974: ['2dcd79'],
      '48f48d62b9': ['395197', '395197', '395197', '395197'],
      a49f289274: ['b539b4'],
      bcc690fb11: ['sender', '09e185', 'sender', 'sender'],
      '355c18ab70': ['f06cc3', 'f06cc3'],
    });
  });

  it('is worked out as from all of each transaction anew', () => {
    for (const receipt of receipts) {
      const { owners, naive } = ownersOf(receipt);
      expect({ name: receipt.name, owners }).toEqual({ name: receipt.name, owners: naive });
    }
  });
});
