import { whirlpoolPrices } from '#libs/chain/amm/q64/tick-price.js';
import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import * as whirlpool from '#libs/chain/venues/orca-whirlpool/test/accounts.js';
import { solanaVenues } from '#libs/chain/venues/solana-registry.js';
import type { ChainEvent } from '#libs/protocol/blocks.js';
import { SolanaKnownSet } from './known-set.js';
import { RangeAnchors } from './range-anchors.js';
import type { AccountReads, RawSolanaBlock } from './raw-block.js';
import { solanaTables } from './tables.js';

/** When ranges that were read from accounts of a slot may go into a block. */
const ADDRESS = whirlpool.addressOf('pool');
const POOL = solanaIds.parseAddress(ADDRESS)!;
const [VAULT0, VAULT1] = whirlpool.VAULTS.map((vault) => solanaIds.parseAddress(vault)!) as [string, string];
const LIQUIDITY = 10n ** 12n;
const signal = AbortSignal.timeout(60_000);

/** A node that answers for the slot that is set, with one position in the pool. */
class Node implements AccountReads {
  slot = 0;
  held: [bigint, bigint] = [500n, 700n];
  asked = 0;
  answers = true;

  async accounts(): Promise<(SolanaAccount | null)[]> {
    return [];
  }

  async at(addresses: readonly string[]) {
    this.asked++;
    if (!this.answers) throw new Error('no answer');
    const ticks = Array.from({ length: 88 }, (_, n) =>
      n === 10 ? { net: LIQUIDITY, gross: LIQUIDITY } : n === 80 ? { net: -LIQUIDITY, gross: LIQUIDITY } : undefined,
    );
    const data = whirlpool.poolData({
      ...{ tickSpacing: 128, feeTierIndex: 128, feeRate: 0, liquidity: LIQUIDITY, tick: 4_000 },
      ...{ sqrtPrice: whirlpoolPrices.at(4_000), protocolFeeA: 0n, protocolFeeB: 0n },
    });
    const accounts = new Map<string, SolanaAccount>([
      [ADDRESS, whirlpool.owned(data)],
      [whirlpool.VAULTS[0], whirlpool.tokenAccount(whirlpool.MINTS[0], this.held[0])],
      [whirlpool.VAULTS[1], whirlpool.tokenAccount(whirlpool.MINTS[1], this.held[1])],
      [whirlpool.tickArrayOf(ADDRESS, 0), whirlpool.owned(whirlpool.fixedArrayData(ADDRESS, 0, ticks))],
    ]);
    const known = new Map(addresses.map((address) => [address, accounts.get(address) ?? null]));
    return { slot: this.slot, known };
  }
}

class Source {
  readonly node = new Node();
  readonly known = new SolanaKnownSet();
  readonly ranges = new RangeAnchors(solanaTables(solanaVenues), this.known);

  constructor() {
    const [token0, token1] = whirlpool.MINTS.map((mint) => solanaIds.parseAddress(mint)!) as [string, string];
    const record = { pool: POOL, venue: 'orca-whirlpool', kind: 'concentrated', token0, token1 } as const;
    this.known.addPool({ ...record, feePpm: 0, tickSpacing: 128, created: false }, [VAULT0, VAULT1], 1);
  }

  /** A block that does this to the pool; answers the slots of the anchors in it. */
  async block(
    slot: number,
    what: 'trade' | 'failure' | 'untold' | 'nothing',
    answered = slot,
    source: RawSolanaBlock['source'] = 'http',
  ) {
    this.node.slot = answered;
    if (source !== 'history') await this.ranges.read(slot, this.node, signal);
    const keys = what === 'nothing' ? ['another'] : ['trader', ADDRESS];
    const tx = new SolanaTransaction('', slot, what === 'failure', keys, 1, [], 0n, [], [], [], [], []);
    const events: ChainEvent[] = [];
    const at = { tx: 0, pool: POOL };
    if (what === 'trade') {
      events.push({ ...at, kind: 'vaults', ordinal: 0, reserve0: 500n, reserve1: 700n });
      const after = { sqrtPriceX96: 1n << 96n, liquidity: 0n, tick: 0 };
      events.push({ ...at, kind: 'swap', ordinal: 1, amount0: 1n, amount1: -1n, sender: '', recipient: '', after });
    } else if (what === 'untold') {
      const range = { tickLower: 0, tickUpper: 0, liquidityDelta: 0n };
      events.push({ ...at, kind: 'liquidity', ordinal: 0, owner: '', ...range, amount0: 0n, amount1: 0n });
    }
    const raw: RawSolanaBlock = {
      ...{ slot, parentSlot: slot - 1, hash: '', parentHash: '', time: 0, source, observedAt: 0, proof: 'none' },
      transactions: [{ index: 0, tx }],
    };
    return this.ranges.take(raw, { events });
  }
}

it('are in the block of their slot, once', async () => {
  const source = new Source();
  expect(await source.block(10, 'trade')).toEqual([]);
  const [anchor] = await source.block(11, 'trade');
  expect(anchor).toMatchObject({
    ...{ pool: POOL, reserve0: 500n, reserve1: 700n },
    concentrated: { liquidity: LIQUIDITY, ticks: [{ tick: 1_280 }, { tick: 10_240, liquidityNet: -LIQUIDITY }] },
  });
  const { asked } = source.node;
  expect(await source.block(12, 'trade')).toEqual([]);
  expect(source.node.asked).toBe(asked);
});

it('wait for the block of their slot, or the first one after it', async () => {
  for (const slot of [13, 14]) {
    const source = new Source();
    await source.block(10, 'trade');
    expect(await source.block(11, 'trade', 13)).toEqual([]);
    expect(await source.block(12, 'trade')).toEqual([]);
    expect(await source.block(slot, slot === 13 ? 'trade' : 'nothing')).toHaveLength(1);
  }
});

it('are in no later block that may have changed the pool, a transaction that failed apart', async () => {
  const source = new Source();
  await source.block(10, 'trade');
  // Answered for a slot that is skipped here, and the pool is traded in the next one.
  expect(await source.block(11, 'nothing', 12)).toEqual([]);
  expect(await source.block(13, 'trade')).toEqual([]);
  expect(await source.block(14, 'failure', 14)).toHaveLength(1);
});

it('are not taken where the vaults hold something else than the log has', async () => {
  const source = new Source();
  await source.block(10, 'trade');
  source.node.held = [501n, 700n];
  expect(await source.block(11, 'trade')).toEqual([]);
  expect(await source.block(12, 'nothing')).toEqual([]);
});

it('are read again when a change does not say where it was, and after a rollback of their block', async () => {
  const source = new Source();
  await source.block(10, 'trade');
  expect(await source.block(11, 'trade')).toHaveLength(1);
  source.ranges.rollback(11);
  expect(await source.block(12, 'trade')).toEqual([]);
  expect(await source.block(13, 'trade')).toEqual([]);
  source.ranges.rollback(10);
  await source.block(11, 'trade');
  expect(await source.block(12, 'trade')).toHaveLength(1);
  await source.block(13, 'untold');
  expect(await source.block(14, 'trade')).toEqual([]);
  expect(await source.block(170, 'trade')).toHaveLength(1);
});

it('are asked for at the head only, and again when no node answers', async () => {
  const source = new Source();
  await source.block(10, 'trade', 10, 'history');
  await source.block(11, 'trade');
  expect(source.node.asked).toBe(0);
  source.node.answers = false;
  for (let slot = 12; slot < 16; slot++) expect(await source.block(slot, 'trade')).toEqual([]);
  source.node.answers = true;
  const found = [];
  for (let slot = 16; slot < 40; slot++) found.push(...(await source.block(slot, 'trade')));
  expect(found).toHaveLength(1);
});
