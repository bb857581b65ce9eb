import { foldAll } from '#libs/devkit/testing/market/market-harness.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import type { BlockGroup, BlocksGroup, ChainEvent } from '#libs/protocol/blocks.js';

/**
 * What ranks a wallet is no more than what others lost: whatever the wallets of one funder trade with each other, in whatever order
 * and however long they wait, none of them ranks with more than strangers paid into the pool and did not get back.
 */

const id = (n: number, bytes = 20): string => n.toString(16).padStart(bytes * 2, '0');
const [COIN, USD, TOKEN, POOL, FUNDER, OPENER] = [0xc0, 0xa1, 0x70, 0x90, 0xf0, 0xe0].map((n) => id(n)) as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const UNIT = 10n ** 18n;
const FEE = 3n;

/** One pool of constant product, and wallets that trade in it, one transaction a block. */
class Market {
  readonly groups: BlocksGroup[] = [];
  readonly tokensOf = new Map<string, bigint>();
  /** What strangers paid in and did not get back, at the worst. */
  lostByStrangers = 0n;
  private paidByStrangers = 0n;
  private reserves = { token: 1_000_000n * UNIT, usd: 0n };
  private time = 1_000_000_000_000;

  constructor(
    depth: number,
    private readonly ours: ReadonlySet<string>,
  ) {
    this.groups.push({
      ...{ kind: 'epoch', chain: 'eth', epoch: 1, seq: 0, height: 0, hash: id(0, 32), parentHash: '', time: 0 },
      reference: {
        ...{ family: 'evm', genesisHash: id(0xfe, 32), startHeight: 1, decoderVersion: 1, stables: [USD] },
        coin: { token: COIN, symbol: 'COIN', decimals: 18 },
        rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
      },
    });
    this.reserves.usd = BigInt(depth) * UNIT;
    const named = [USD, TOKEN].map((token) => ({ token, decimals: 18, symbol: null, name: null, totalSupply: null }));
    const record = { pool: POOL, venue: 'any', kind: 'constant-product' as const, token0: TOKEN, token1: USD };
    this.block(OPENER, [this.statement()], {
      tokens: named,
      pools: [{ ...record, feePpm: 3000, tickSpacing: 0, created: true }],
    });
  }

  fund(wallet: string): void {
    this.block(FUNDER, [{ kind: 'transfer', token: USD, from: FUNDER, to: wallet, amount: 1_000n * UNIT }]);
  }

  buy(wallet: string, usd: bigint): void {
    const { token, usd: before } = this.reserves;
    const input = usd * (1_000n - FEE);
    const bought = (token * input) / (before * 1_000n + input);
    this.reserves = { token: token - bought, usd: before + usd };
    this.tokensOf.set(wallet, (this.tokensOf.get(wallet) ?? 0n) + bought);
    this.count(wallet, usd);
    this.swap(wallet, { amount0: -bought, amount1: usd });
  }

  sell(wallet: string, amount: bigint): void {
    const { token, usd: before } = this.reserves;
    const input = amount * (1_000n - FEE);
    const usd = (before * input) / (token * 1_000n + input);
    if (amount === 0n || usd === 0n) return;
    this.reserves = { token: token + amount, usd: before - usd };
    this.tokensOf.set(wallet, this.tokensOf.get(wallet)! - amount);
    this.count(wallet, -usd);
    this.swap(wallet, { amount0: amount, amount1: -usd });
  }

  wait(ms: number): void {
    this.time += ms;
  }

  /** Realised less what is linked, as wallets are ranked, over all hours. */
  ranked(): Map<string, bigint> {
    const rows = new Map<string, { wallet: string; profit: bigint }>();
    for (const group of foldAll(this.groups)) {
      if (group.kind !== 'block') continue;
      for (const { wallet, hour, gainUsd, lossUsd, linkedUsd } of group.walletProfits ?? [])
        rows.set(`${wallet} ${hour}`, { wallet, profit: gainUsd - lossUsd - linkedUsd });
    }
    const ranked = new Map<string, bigint>();
    for (const { wallet, profit } of rows.values()) ranked.set(wallet, (ranked.get(wallet) ?? 0n) + profit);
    return ranked;
  }

  private count(wallet: string, usd: bigint): void {
    if (this.ours.has(wallet)) return;
    this.paidByStrangers += usd;
    if (this.paidByStrangers > this.lostByStrangers) this.lostByStrangers = this.paidByStrangers;
  }

  private statement(): Unplaced {
    return { kind: 'reserves', pool: POOL, reserve0: this.reserves.token, reserve1: this.reserves.usd };
  }

  private swap(wallet: string, { amount0, amount1 }: { amount0: bigint; amount1: bigint }): void {
    const moved = (token: string, amount: bigint): Unplaced =>
      amount > 0n
        ? { kind: 'transfer', token, from: wallet, to: POOL, amount }
        : { kind: 'transfer', token, from: POOL, to: wallet, amount: -amount };
    this.block(wallet, [
      moved(TOKEN, amount0),
      moved(USD, amount1),
      this.statement(),
      { kind: 'swap', pool: POOL, sender: wallet, recipient: wallet, amount0, amount1, after: null },
    ]);
  }

  private block(sender: string, events: Unplaced[], added: Partial<BlockGroup> = {}): void {
    const height = this.groups.length;
    this.time += 12_000;
    this.groups.push({
      ...{ kind: 'block', chain: 'eth', epoch: 1, seq: height, height, hash: id(height, 32) },
      ...{ parentHash: id(height - 1, 32), time: this.time, source: 'http', observedAt: 0 },
      ...{ tokens: [], pools: [], anchors: [], txs: [{ id: id(0x1000 + height, 32), index: 0, sender }] },
      events: events.map((event, ordinal) => ({ ...event, tx: 0, ordinal }) as ChainEvent),
      ...added,
    });
  }
}

type Unplaced = ChainEvent extends infer Event
  ? Event extends ChainEvent
    ? Omit<Event, 'tx' | 'ordinal'>
    : never
  : never;

it.each(propertySeeds(scaled(200)))('is no more than what others lost (seed %i)', (seed) => {
  const random = new SeededRandom(seed);
  const ours = [FUNDER, ...Array.from({ length: random.int(1, 4) }, (_, n) => id(0x100 + n))];
  const strangers = Array.from({ length: random.int(0, 3) }, (_, n) => id(0x200 + n));
  const market = new Market(random.int(50, 100_000), new Set(ours));
  for (const wallet of ours.slice(1)) market.fund(wallet);
  for (let step = random.int(5, 60); step > 0; step--) {
    const wallet = random.pick(random.chance(0.75) || strangers.length === 0 ? ours : strangers);
    const held = market.tokensOf.get(wallet) ?? 0n;
    if (held > 0n && random.chance(0.5)) market.sell(wallet, (held * BigInt(random.int(1, 100))) / 100n);
    else market.buy(wallet, BigInt(Math.round(random.spread(0.1, 10_000) * 1_000)) * 10n ** 15n);
    if (random.chance(0.2)) market.wait(random.int(0, 3) * 3_600_000);
  }
  for (const wallet of ours) market.sell(wallet, market.tokensOf.get(wallet) ?? 0n);
  const ranked = market.ranked();
  for (const wallet of ours) {
    const most = market.lostByStrangers + market.lostByStrangers / 1_000_000n + 10n ** 12n;
    expect({ seed, wallet, isWithin: (ranked.get(wallet) ?? 0n) <= most }).toEqual({ seed, wallet, isWithin: true });
  }
});
