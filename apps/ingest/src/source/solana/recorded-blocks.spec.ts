import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { SourceBlock } from '#libs/chain/chains/source-port.js';
import type { Hex } from '#libs/core/ids.js';
import { type Answer, keysOf, SOL, trades } from '#libs/devkit/testing/solana/recorded-solana.js';
import type { BlockGroup, ChainEvent, SwapEvent } from '#libs/protocol/blocks.js';
import { decodeBlocksGroup, encodeBlocksGroup } from '#libs/protocol/codec/blocks-codec.js';
import { SolanaBlockDecoding } from './decoding.js';
import { SolanaKnownSet } from './known-set.js';
import { GivenAccounts, recordedBlocks, tables } from './test/recorded-blocks.js';
import { NOBODY } from './transfers.js';

/** Every recorded transaction in blocks, against what the transactions themselves say. */
const hex = (text: string): Hex => solanaIds.parseAddress(text)!;
const signal = AbortSignal.timeout(60_000);

interface Built {
  block: SourceBlock;
  answers: Answer[];
}

async function buildAll(size: number): Promise<{ built: Built[]; reads: GivenAccounts }> {
  const reads = new GivenAccounts();
  const decoding = new SolanaBlockDecoding(tables, new SolanaKnownSet());
  const built: Built[] = [];
  for (const { block, entries } of recordedBlocks(size)) {
    const prepared = await decoding.prepare([block], reads, signal);
    built.push({ block: decoding.build(block, prepared), answers: entries.map(({ answer }) => answer) });
  }
  return { built, reads };
}

const group = (block: SourceBlock): BlockGroup => ({ ...block, kind: 'block', chain: 'sol', epoch: 1, seq: 1 });

let built: Built[];
let reads: GivenAccounts;
beforeAll(async () => {
  ({ built, reads } = await buildAll(8));
});

/** Events of each recorded transaction, by its place in the block. */
function* perTransaction(): Generator<{ answer: Answer; events: ChainEvent[] }> {
  for (const { block, answers } of built) {
    for (const [n, answer] of answers.entries()) {
      const tx = block.txs.findIndex(({ index }) => index === 3 * n + 1);
      yield { answer, events: tx < 0 ? [] : block.events.filter((event) => event.tx === tx) };
    }
  }
}

test('swaps are those of `tidepool decode`, in its order, as signed deltas of the pool', () => {
  let count = 0;
  for (const { answer, events } of perTransaction()) {
    const swaps = events.filter((event): event is SwapEvent => event.kind === 'swap');
    const expected = trades(answer).map(({ pool, wallet, inputMint, inputAmount, outputMint, outputAmount }) => {
      const zeroIn = hex(inputMint) < hex(outputMint);
      const [amount0, amount1] = zeroIn
        ? [BigInt(inputAmount), -BigInt(outputAmount)]
        : [-BigInt(outputAmount), BigInt(inputAmount)];
      return { pool: hex(pool), amount0, amount1, sender: hex(wallet), recipient: hex(wallet) };
    });
    expect(
      swaps.map(({ pool, amount0, amount1, sender, recipient }) => ({ pool, amount0, amount1, sender, recipient })),
    ).toEqual(expected);
    count += swaps.length;
  }
  expect(count).toBe(71);
});

test('every record comes once and before it is needed; heights, indexes and ordinals ascend; the codec takes it', () => {
  const pools = new Map<Hex, { token0: Hex; token1: Hex; kind: string }>();
  const tokens = new Set<Hex>();
  for (const { block, answers } of built) {
    for (const { token } of block.tokens) {
      expect(tokens.has(token)).toBe(false);
      tokens.add(token);
    }
    for (const { pool, token0, token1, kind, venue } of block.pools) {
      expect(pools.has(pool)).toBe(false);
      expect(token0 < token1).toBe(true);
      expect(tokens.has(token0) && tokens.has(token1)).toBe(true);
      expect([...tables.venues.values()].find((each) => each.venue === venue)!.kind).toBe(kind);
      pools.set(pool, { token0, token1, kind });
    }
    const places = block.txs.map(({ index }) => index);
    expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
    expect(block.events.map(({ ordinal }) => ordinal)).toEqual(block.events.map((_, n) => n));
    for (const [n, { tx }] of block.events.entries()) {
      expect(tx - (block.events[n - 1]?.tx ?? -1) === 0 || tx - (block.events[n - 1]?.tx ?? -1) === 1).toBe(true);
    }
    for (const { index, id, sender } of block.txs) {
      const answer = answers[(index - 1) / 3]!;
      expect(solanaIds.formatTx(id)).toBe(answer.transaction.signatures[0]);
      expect(solanaIds.formatAddress(sender)).toBe(keysOf(answer)[0]);
      expect(answer.meta.err).toBeNull();
    }
    for (const event of block.events) {
      if (event.kind === 'swap' || event.kind === 'vaults' || event.kind === 'pool-vaults') {
        expect(pools.has(event.pool)).toBe(true);
      }
      if (event.kind === 'swap') expect(event.after === null).toBe(pools.get(event.pool)!.kind === 'constant-product');
    }
    expect(decodeBlocksGroup(encodeBlocksGroup(group(block)))).toEqual(group(block));
  }
  expect(pools.size).toBe(48);
});

test('inside a transaction reserves come once for each pool and before its first swap; launches and payments, then transfers end it', () => {
  const ranks = {
    authority: 0,
    metadata: 0,
    'pool-vaults': 0,
    vaults: 1,
    swap: 1,
    launch: 2,
    payment: 2,
    transfer: 3,
  } as Record<string, number>;
  let both = 0;
  for (const { events } of perTransaction()) {
    const order = events.map(({ kind }) => ranks[kind]!);
    expect(order).toEqual([...order].sort());
    const swapped = new Set<Hex>();
    const told = new Set<Hex>();
    for (const event of events) {
      if (event.kind === 'swap') swapped.add(event.pool);
      if (event.kind !== 'vaults') continue;
      expect(told.has(event.pool) || swapped.has(event.pool)).toBe(false);
      told.add(event.pool);
    }
    for (const pool of swapped) if (told.has(pool)) both++;
  }
  expect(both).toBeGreaterThan(20);
});

test('who paid for a transaction in which it traded has a record of its fees, whatever it traded', () => {
  const seen = { all: 0, withoutCoin: 0 };
  for (const { answer, events } of perTransaction()) {
    const payer = hex(keysOf(answer)[0]!);
    const swaps = events.filter((event): event is SwapEvent => event.kind === 'swap' && event.sender === payer);
    if (swaps.length === 0) continue;
    const own = events.filter((event) => event.kind === 'payment' && event.wallet === payer);
    expect(own).toMatchObject([{ fees: expect.anything() }]);
    for (const event of own) if (event.kind === 'payment') expect(event.fees).toBeGreaterThanOrEqual(5_000n);
    seen.all++;
    const tradesCoin = trades(answer).some(({ inputMint, outputMint }) => [inputMint, outputMint].includes(SOL));
    seen.withoutCoin += Number(!tradesCoin);
  }
  expect(Math.min(seen.all, seen.withoutCoin)).toBeGreaterThan(0);
});

test('reserves are the balances of the vaults after the transaction, or what the venue stated', () => {
  const vaults = new Map<Hex, [Hex, Hex]>();
  let compared = 0;
  for (const { answer, events } of perTransaction()) {
    const keys = keysOf(answer).map(hex);
    const after = new Map(
      answer.meta.postTokenBalances.map(({ accountIndex, uiTokenAmount }) => [
        keys[accountIndex]!,
        BigInt(uiTokenAmount.amount),
      ]),
    );
    const before = new Set(answer.meta.preTokenBalances.map(({ accountIndex }) => keys[accountIndex]!));
    const balance = (vault: Hex): bigint | null => after.get(vault) ?? (before.has(vault) ? 0n : null);
    for (const event of events) if (event.kind === 'pool-vaults') vaults.set(event.pool, [event.vault0, event.vault1]);
    const told = new Set(events.flatMap((event) => (event.kind === 'vaults' ? [event.pool] : [])));
    for (const event of events) {
      if (event.kind !== 'vaults' || !vaults.has(event.pool) || statesReserves(event.pool)) continue;
      const [vault0, vault1] = vaults.get(event.pool)!;
      expect([event.reserve0, event.reserve1]).toEqual([balance(vault0), balance(vault1)]);
      compared++;
    }
    // Every transaction that names a vault tells of its pool.
    if (answer.meta.err !== null) continue;
    for (const [pool, sides] of vaults) {
      if (!statesReserves(pool) && sides.some((vault) => balance(vault) !== null)) expect(told.has(pool)).toBe(true);
    }
  }
  expect(compared).toBeGreaterThan(20);
});

/** Pools of venues that state their reserves themselves: those of curves. */
function statesReserves(pool: Hex): boolean {
  return built.some(({ block }) => block.pools.some((record) => record.pool === pool && record.kind === 'curve'));
}

test('transfers add up to each owner’s change of balance, and nobody has part in what only changed hands', () => {
  let transfers = 0;
  for (const { answer, events } of perTransaction()) {
    const keys = keysOf(answer);
    const changes = new Map<string, bigint>();
    const sums = new Map<string, bigint>();
    const count = (entries: Answer['meta']['preTokenBalances'], sign: bigint): void => {
      for (const { accountIndex, mint, owner, uiTokenAmount } of entries) {
        const key = `${hex(mint)} ${hex(owner ?? keys[accountIndex]!)}`;
        changes.set(key, (changes.get(key) ?? 0n) + sign * BigInt(uiTokenAmount.amount));
        sums.set(hex(mint), (sums.get(hex(mint)) ?? 0n) + sign * BigInt(uiTokenAmount.amount));
      }
    };
    if (answer.meta.err === null) {
      count(answer.meta.preTokenBalances, -1n);
      count(answer.meta.postTokenBalances, 1n);
    }
    const moved = new Map<string, bigint>();
    const byNobody = new Map<Hex, bigint>();
    for (const event of events) {
      if (event.kind !== 'transfer') continue;
      transfers++;
      expect(event.amount > 0n).toBe(true);
      expect(event.from === event.to).toBe(false);
      for (const [who, amount] of [
        [event.from, -event.amount],
        [event.to, event.amount],
      ] as const) {
        if (who === NOBODY) byNobody.set(event.token, (byNobody.get(event.token) ?? 0n) - amount);
        else moved.set(`${event.token} ${who}`, (moved.get(`${event.token} ${who}`) ?? 0n) + amount);
      }
    }
    const real = new Map([...changes].filter(([, change]) => change !== 0n));
    expect(new Map([...moved].filter(([, change]) => change !== 0n))).toEqual(real);
    for (const [token, sum] of sums) expect(byNobody.get(token) ?? 0n).toBe(sum);
  }
  expect(transfers).toBe(177);
});

test('the same transactions in other blocks give the same events', async () => {
  const facts = (of: readonly Built[]): unknown[] =>
    of.flatMap(({ block }) => block.events.map(({ tx, ordinal: _, ...fact }) => ({ ...fact, tx: block.txs[tx]!.id })));
  for (const size of [1, 200]) expect(facts((await buildAll(size)).built)).toEqual(facts(built));
});

test('a node is asked once for each account, for at most 100 at a time', () => {
  const asked = reads.batches.flat();
  expect(new Set(asked).size).toBe(asked.length);
  expect(Math.max(...reads.batches.map((batch) => batch.length))).toBeLessThanOrEqual(100);
});
