import type { Hex } from '#libs/core/ids.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { backingText } from '#libs/pipeline/fold/backing.js';
import {
  type BlockProof,
  blockProofs,
  type PoolRecord,
  type TickRecord,
  type TokenRecord,
} from '#libs/protocol/blocks.js';
import {
  type FactsBlock,
  type FactsGroup,
  type FactsRetract,
  type PoolStateFact,
  type PriceFact,
  type ReferencePrice,
  type TradeFact,
  type TransferFact,
  uncountedReasons,
} from '#libs/protocol/facts.js';

/**
 * Random facts that keep the rules of the log: gapless seq, absolute states, a retraction that restores exactly what
 * the retracted blocks changed. Sizes of ids alternate between histories, as between families of chains.
 */
export class RandomFacts {
  readonly groups: FactsGroup[] = [];
  /** Blocks that no retraction took back. */
  surviving: FactsBlock[] = [];
  private readonly idBytes: number;
  private readonly txBytes: number;
  private readonly tokens: Hex[];
  private readonly wallets: Hex[];
  private readonly pools: PoolRecord[];
  private readonly startTime: number;

  constructor(
    private readonly random: SeededRandom,
    private readonly startHeight = 100,
  ) {
    const evm = random.chance(0.5);
    this.idBytes = evm ? 20 : 32;
    this.txBytes = evm ? 32 : 64;
    this.startTime = Date.UTC(2024, 0, 31, 22) + random.below(7_200) * 1000 + (evm ? 0 : random.below(1000));
    this.tokens = Array.from({ length: 3 + random.below(5) }, () => random.hex(this.idBytes)).sort();
    this.wallets = Array.from({ length: 4 }, () => random.hex(this.idBytes));
    this.pools = Array.from({ length: 2 + random.below(6) }, () => this.newPool());
    this.push({
      kind: 'epoch',
      ...this.envelope(startHeight - 1, this.startTime),
      reference: reference(this.tokens[0]!),
    });
  }

  get tokenIds(): readonly Hex[] {
    return this.tokens;
  }

  get walletIds(): readonly Hex[] {
    return this.wallets;
  }

  get poolIds(): readonly Hex[] {
    return this.pools.map(({ pool }) => pool);
  }

  get headHeight(): number {
    return this.surviving.at(-1)?.height ?? this.startHeight - 1;
  }

  /** One more group: mostly a block, now and then a retraction or a finalization. */
  step(): void {
    const roll = this.random.next();
    if (roll < 0.06 && this.surviving.length > 0)
      this.retract(1 + this.random.below(Math.min(12, this.surviving.length)));
    else if (roll < 0.2 && this.surviving.length > 3) this.finalize();
    else this.block();
  }

  block(): void {
    const { random } = this;
    const pause = random.chance(0.1)
      ? random.below(40_000_000)
      : random.below(30_000) * (this.idBytes === 20 ? 1000 : 1);
    const time = (this.surviving.at(-1)?.time ?? this.startTime) + (random.chance(0.1) ? 0 : pause);
    let ordinal = 0;
    const next = () => (ordinal += 1 + random.below(3));
    const envelope = this.envelope(this.headHeight + 1, time);
    const facts: FactsBlock = {
      kind: 'block',
      ...envelope,
      ...proofBy(envelope.hash),
      trades: times(random.below(6), () => this.trade(next())),
      transfers: times(random.below(4), () => this.transfer(next())),
      tokens: this.newTokens(),
      pools: this.newPools(),
      poolStates: [],
      prices: [],
      references: random.chance(0.3) ? this.newReferences() : [],
    };
    facts.poolStates = this.changedStates(facts.pools);
    facts.prices = this.tokens.filter(() => random.chance(0.2)).map((token) => this.price(token));
    this.push(facts);
    this.surviving.push(facts);
  }

  retract(depth: number): void {
    const gone = this.surviving.slice(-depth);
    const before = chainState(this.surviving);
    this.surviving = this.surviving.slice(0, -depth);
    const after = chainState(this.surviving);
    const head = this.surviving.at(-1);
    const poolStates: PoolStateFact[] = [];
    for (const pool of new Set(gone.flatMap((block) => block.poolStates.map((state) => state.pool)))) {
      const restored = restoredState(pool, before, after);
      if (restored !== null) poolStates.push(restored);
    }
    const retraction: FactsRetract = {
      kind: 'retract',
      ...this.envelope(this.headHeight, head?.time ?? this.startTime),
      fromSeq: gone[0]!.seq,
      ...(head?.proof !== undefined && { proof: head.proof }),
      poolStates,
      prices: [...new Set(gone.flatMap((block) => block.prices.map(({ token }) => token)))].map(
        (token) => after.prices.get(token) ?? { token, pool: null, quote: null, spot: null, level: 4, backing: null },
      ),
      references: gone.some(({ references }) => references.length > 0)
        ? (after.references ?? before.references!.map(({ token }) => ({ token, usd: null })))
        : [],
      removedPools: [...before.pools].filter((pool) => !after.pools.has(pool)),
      removedTokens: [...before.tokens].filter((token) => !after.tokens.has(token)),
    };
    this.push(retraction);
  }

  finalize(): void {
    const block = this.surviving[Math.max(0, this.surviving.length - 2 - this.random.below(6))]!;
    this.push({
      ...this.envelope(block.height, block.time),
      kind: 'finalize',
      hash: block.hash,
      finalizedHeight: block.height,
    });
  }

  /** The history as it would be had nothing ever been retracted. */
  survivingHistory(): FactsGroup[] {
    const [epoch] = this.groups;
    return [epoch!, ...this.surviving].map((group, seq) => ({ ...group, seq }));
  }

  private push(group: FactsGroup): void {
    this.groups.push(group);
  }

  private envelope(height: number, time: number) {
    const parentHash = this.surviving.at(-1)?.hash ?? this.random.hex(32);
    const hash = this.random.hex(32);
    return {
      chain: 'eth',
      epoch: 1,
      seq: this.groups.length,
      height,
      hash,
      parentHash,
      time,
      inputHash: this.random.hex(16),
    };
  }

  private newPool(): PoolRecord {
    const { random } = this;
    const [token0, token1] = shuffled(random, this.tokens).slice(0, 2).sort() as [Hex, Hex];
    const kind = random.chance(0.5) ? 'constant-product' : 'concentrated';
    return {
      pool: random.hex(this.idBytes),
      venue: kind === 'concentrated' ? 'uniswap-v3' : 'uniswap-v2',
      kind,
      token0,
      token1,
      feePpm: 3000,
      tickSpacing: kind === 'concentrated' ? 60 : 0,
      created: random.chance(0.5),
    };
  }

  private newTokens(): TokenRecord[] {
    const known = chainState(this.surviving).tokens;
    const { random } = this;
    return this.tokens
      .filter((token) => !known.has(token) && random.chance(0.3))
      .map((token) => ({
        token,
        decimals: random.chance(0.1) ? null : random.below(37),
        symbol: random.chance(0.1) ? null : `S${random.below(1000)}é'\\`,
        name: random.chance(0.1) ? null : `Name ${random.below(1000)} \n "quoted" 🌊`.repeat(1 + random.below(12)),
        totalSupply: random.chance(0.1) ? null : random.bits(256),
      }));
  }

  private newPools(): PoolRecord[] {
    const known = chainState(this.surviving).pools;
    return this.pools.filter(({ pool }) => !known.has(pool) && this.random.chance(0.3));
  }

  private changedStates(created: PoolRecord[]): PoolStateFact[] {
    const { random } = this;
    const state = chainState(this.surviving);
    const known = [...this.pools.filter(({ pool }) => state.pools.has(pool)), ...created];
    return known
      .filter(({ pool }) => !state.pools.has(pool) || random.chance(0.4))
      .map((pool) => this.poolState(pool, state));
  }

  private poolState(pool: PoolRecord, state: ChainState): PoolStateFact {
    const { random } = this;
    const amount = () => (random.chance(0.05) ? -random.bits(200) : random.bits(200));
    const base = { pool: pool.pool, reserve0: amount(), reserve1: amount(), ...standing(random) };
    if (pool.kind === 'constant-product') return { ...base, concentrated: null };
    const ticksComplete = random.chance(0.2);
    const known = [...(state.ticks.get(pool.pool)?.keys() ?? [])];
    const indexes = new Set([
      ...known.filter(() => random.chance(0.3)),
      ...times(random.below(4), () => 60 * (random.below(40) - 20)),
    ]);
    const ticks = [...indexes].map((tick) => {
      const gone = !ticksComplete && random.chance(0.3);
      return { tick, liquidityGross: gone ? 0n : random.bits(128) + 1n, liquidityNet: gone ? 0n : -random.bits(127) };
    });
    const { sqrtPriceX96, liquidity } = { sqrtPriceX96: random.bits(160), liquidity: random.bits(128) };
    return {
      ...base,
      concentrated: { sqrtPriceX96, tick: random.below(2_000_000) - 1_000_000, liquidity, ticks, ticksComplete },
    };
  }

  private price(token: Hex): PriceFact {
    const { random } = this;
    if (random.chance(0.15)) return { token, pool: null, quote: null, spot: null, level: 4, backing: null };
    const { pool } = random.pick(this.pools);
    const [quote, spot] = [random.pick(this.tokens), random.bits(240)];
    const part = { pool, quote, quoteDecimals: random.below(30), spot: spot + 1n };
    const curve = { form: 'product' as const, base: random.bits(100), quote: random.bits(100) };
    const backing = backingText({ decimals: 18, pooled: random.bits(60), parts: [{ ...part, curve }] });
    return { token, pool, quote, spot, level: 1 + random.below(3), backing };
  }

  private newReferences(): ReferencePrice[] {
    return this.tokens
      .slice(0, 2)
      .map((token) => ({ token, usd: this.random.chance(0.1) ? null : this.random.bits(130) }));
  }

  private trade(ordinal: number): TradeFact {
    const { random } = this;
    const [base, quote] = shuffled(random, this.tokens) as [Hex, Hex];
    const priced = random.chance(0.85);
    return {
      ordinal,
      txOrdinal: random.below(4),
      tx: random.hex(this.txBytes),
      wallet: random.pick(this.wallets),
      sender: random.pick(this.wallets),
      pool: random.pick(this.pools).pool,
      venue: random.pick(['uniswap-v2', 'uniswap-v3']),
      base,
      quote,
      baseDecimals: random.below(37),
      quoteDecimals: random.below(37),
      side: random.chance(0.5) ? 'buy' : 'sell',
      baseAmount: random.bits(256),
      quoteAmount: random.bits(256),
      priceUsd: priced ? random.bits(250) : null,
      coinUsd: priced ? random.bits(140) : null,
      volumeUsd: priced ? random.bits(110) : null,
      volumeCoin: priced ? random.bits(100) : null,
      uncounted: priced && random.chance(0.7) ? null : random.pick([...uncountedReasons, 'unknown']),
    };
  }

  private transfer(ordinal: number): TransferFact {
    const { random } = this;
    const [from, to] = [random.pick(this.wallets), random.pick(this.wallets)];
    return {
      ordinal,
      tx: random.hex(this.txBytes),
      token: random.pick(this.tokens),
      from,
      to,
      amount: random.bits(256),
    };
  }
}

interface ChainState {
  tokens: Set<Hex>;
  pools: Set<Hex>;
  states: Map<Hex, PoolStateFact>;
  ticks: Map<Hex, Map<number, TickRecord>>;
  prices: Map<Hex, PriceFact>;
  references: ReferencePrice[] | null;
}

/** What a list of surviving blocks leaves. */
function chainState(blocks: readonly FactsBlock[]): ChainState {
  const state: ChainState = {
    tokens: new Set(),
    pools: new Set(),
    states: new Map(),
    ticks: new Map(),
    prices: new Map(),
    references: null,
  };
  for (const block of blocks) {
    for (const { token } of block.tokens) state.tokens.add(token);
    for (const { pool } of block.pools) state.pools.add(pool);
    for (const price of block.prices) state.prices.set(price.token, price);
    if (block.references.length > 0) state.references = block.references;
    for (const change of block.poolStates) {
      state.states.set(change.pool, change);
      if (change.concentrated === null) continue;
      const ticks = change.concentrated.ticksComplete
        ? new Map<number, TickRecord>()
        : new Map(state.ticks.get(change.pool));
      for (const tick of change.concentrated.ticks) {
        if (tick.liquidityGross === 0n) ticks.delete(tick.tick);
        else ticks.set(tick.tick, tick);
      }
      state.ticks.set(change.pool, ticks);
    }
  }
  return state;
}

function restoredState(pool: Hex, before: ChainState, after: ChainState): PoolStateFact | null {
  const state = after.states.get(pool);
  if (state === undefined) return null;
  if (state.concentrated === null) return state;
  const [now, then] = [before.ticks.get(pool) ?? new Map(), after.ticks.get(pool) ?? new Map()];
  const ticks: TickRecord[] = [];
  for (const tick of now.keys()) if (!then.has(tick)) ticks.push({ tick, liquidityGross: 0n, liquidityNet: 0n });
  for (const [tick, record] of then) {
    const known = now.get(tick);
    if (known?.liquidityGross !== record.liquidityGross || known?.liquidityNet !== record.liquidityNet)
      ticks.push(record);
  }
  return { ...state, concentrated: { ...state.concentrated, ticks, ticksComplete: false } };
}

/** One in four does not say. No draw of its own, so that histories stay those of their seeds. */
function proofBy(hash: Hex): { proof?: BlockProof } {
  const proof = blockProofs[Number.parseInt(hash.slice(0, 2), 16) % 4];
  return proof === undefined ? {} : { proof };
}

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}

function shuffled<T>(random: SeededRandom, items: readonly T[]): T[] {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [copy[i], copy[j]] = [copy[j]!, copy[i]!];
  }
  return copy;
}

function reference(coin: Hex) {
  return {
    family: 'evm' as const,
    genesisHash: '00'.repeat(32),
    startHeight: 100,
    decoderVersion: 1,
    coin: { token: coin, symbol: 'ETH', decimals: 18 },
    stables: [],
    rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
  };
}

/** Mostly anchored, now and then set apart. */
function standing(random: SeededRandom): Pick<PoolStateFact, 'anchored' | 'setApart'> {
  if (random.chance(0.1)) return { anchored: false, setApart: random.pick(['amounts', 'price', 'liquidity', 'ticks']) };
  return { anchored: random.chance(0.9), setApart: null };
}
