import type { Hex } from '#libs/core/ids.js';
import {
  type BlockGroup,
  type BlocksGroup,
  type ChainEvent,
  type PoolAnchor,
  type PoolKind,
  type PoolRecord,
  poolKinds,
  type ReferenceSet,
  type TickRecord,
  type TokenRecord,
  type TxRecord,
} from '#libs/protocol/blocks.js';
import { SeededRandom } from '../seeded-random.js';

/**
 * Histories whose events say whatever the log can hold: every kind of event, of pool and of anchor, with numbers from both
 * ends of uint256, int256 and int24 among sane ones. They obey the rules of the log (seq, parents, records before first
 * use) and no rule of any pool.
 */
export interface ExtremeHistory {
  reference: ReferenceSet;
  groups: BlocksGroup[];
}

const START_HEIGHT = 1_000;
const START_TIME = Date.UTC(2026, 0, 30, 22);
const UINT256 = 2n ** 256n - 1n;
const Q96 = 2n ** 96n;

/** Where the types of chains and tables end. */
const EDGES = [31n, 32n, 63n, 64n, 112n, 127n, 128n, 159n, 160n, 254n, 255n, 256n];

export interface ExtremeOptions {
  /** Groups, the first one included. */
  wanted?: number;
  kinds?: readonly PoolKind[];
}

export function extremeHistory(
  seed: number,
  family: ReferenceSet['family'],
  { wanted = 60, kinds = Object.keys(poolKinds) as PoolKind[] }: ExtremeOptions = {},
): ExtremeHistory {
  const random = new SeededRandom(seed);
  const bytes = family === 'evm' ? 20 : 32;
  const ids = Array.from({ length: 6 }, () => random.hex(bytes));
  const [coin, usd] = ids as [Hex, Hex];
  const reference: ReferenceSet = {
    family,
    genesisHash: random.hex(32),
    startHeight: START_HEIGHT,
    decoderVersion: 1,
    coin: { token: coin, symbol: 'COIN', decimals: 18 },
    stables: [usd],
    rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
  };
  const chain = family === 'evm' ? 'eth' : 'sol';
  const base = { chain, epoch: 1 };
  const origin = { height: START_HEIGHT - 1, hash: random.hex(32), parentHash: '', time: START_TIME };
  const groups: BlocksGroup[] = [{ ...base, kind: 'epoch', seq: 0, ...origin, reference }];
  const alive: { group: BlockGroup; pools: PoolRecord[] }[] = [];
  let sealed = origin.height;
  while (groups.length < wanted) {
    const seq = groups.length;
    const head = alive.at(-1)?.group ?? origin;
    if (alive.length > 3 && random.chance(0.12)) {
      const gone = alive.splice(alive.length - random.int(1, 3));
      const { height, hash, parentHash, time } = alive.at(-1)!.group;
      groups.push({ ...base, kind: 'retract', seq, fromSeq: gone[0]!.group.seq, height, hash, parentHash, time });
      sealed = Math.min(sealed, height);
    } else if (alive.length > 0 && head.height > sealed && random.chance(0.05)) {
      const { height, hash, parentHash, time } = head;
      groups.push({ ...base, kind: 'finalize', seq, height, hash, parentHash, time, finalizedHeight: height });
      sealed = height;
    } else {
      const block = new ExtremeBlock(random, { family, ids, kinds }, alive.at(-1)?.pools ?? []);
      block.fill(alive.length === 0);
      const { txs, tokens, events, anchors } = block;
      const group: BlockGroup = {
        ...base,
        kind: 'block',
        seq,
        height: head.height + 1,
        hash: random.hex(32),
        parentHash: head.hash,
        time: head.time + random.int(1, 40_000),
        source: 'stream',
        observedAt: START_TIME,
        ...{ txs, tokens, pools: block.newPools, events, anchors },
      };
      alive.push({ group, pools: block.pools });
      groups.push(group);
    }
  }
  return { reference, groups };
}

class ExtremeBlock {
  readonly txs: TxRecord[] = [];
  readonly tokens: TokenRecord[] = [];
  readonly newPools: PoolRecord[] = [];
  readonly events: ChainEvent[] = [];
  readonly anchors: PoolAnchor[] = [];
  readonly pools: PoolRecord[];
  private readonly family: ReferenceSet['family'];
  private readonly ids: readonly Hex[];
  private readonly kinds: readonly PoolKind[];

  constructor(
    private readonly random: SeededRandom,
    { family, ids, kinds }: { family: ReferenceSet['family']; ids: readonly Hex[]; kinds: readonly PoolKind[] },
    before: readonly PoolRecord[],
  ) {
    this.family = family;
    this.ids = ids;
    this.kinds = kinds;
    this.pools = [...before];
  }

  fill(first: boolean): void {
    const { random } = this;
    if (first) for (const [index, token] of this.ids.entries()) this.tokens.push(this.token(token, index));
    for (let n = first ? 12 : random.int(0, 2); n > 0; n--) this.addPool();
    for (let n = random.int(1, 4); n > 0; n--) {
      const tx = this.txs.length;
      this.txs.push({ id: random.hex(32), index: tx, sender: this.address() });
      for (let event = random.int(1, 8); event > 0; event--) this.event(tx);
    }
    if (first) for (const pool of this.pools) this.anchors.push(this.anchor(pool, true));
    else if (random.chance(0.3)) this.anchors.push(this.anchor(random.pick(this.pools), random.chance(0.6)));
  }

  private token(token: Hex, index: number): TokenRecord {
    const { random } = this;
    const decimals = index < 2 ? 18 : random.pick([0, 6, 9, 18, 24, 36, 77, 255, null]);
    return { token, decimals, symbol: `T${index}`, name: null, totalSupply: random.chance(0.2) ? null : this.uint() };
  }

  private addPool(): void {
    const { random, ids } = this;
    const kind = random.pick(this.kinds);
    // Mostly against the coin and the stable, so that prices follow from it.
    const one = random.int(0, random.chance(0.7) ? 1 : ids.length - 1);
    const other = (one + random.int(1, ids.length - 1)) % ids.length;
    const [token0, token1] = [ids[one]!, ids[other]!].sort() as [Hex, Hex];
    const spacing = poolKinds[kind].statesPrice && kind !== 'curve' ? random.pick([1, 10, 60, 200, 16_384]) : 0;
    const pool: PoolRecord = {
      ...{ pool: random.hex(this.family === 'evm' ? 20 : 32), venue: venueOf[kind], kind, token0, token1 },
      ...{ feePpm: random.pick([0, 100, 3_000, 10_000, 999_999]), tickSpacing: spacing, created: random.chance(0.5) },
    };
    this.pools.push(pool);
    this.newPools.push(pool);
  }

  private address(): Hex {
    return this.random.hex(this.family === 'evm' ? 20 : 32);
  }

  /** 0 to 2^256 − 1, its ends and those of narrower types first of all. */
  private uint(): bigint {
    const { random } = this;
    if (random.chance(0.4)) return BigInt(random.int(1, 1e9)) * 10n ** BigInt(random.int(0, 16));
    if (random.chance(0.2)) return random.bits(256);
    return random.pick([0n, 1n, ...EDGES.flatMap((bits) => [2n ** bits - 1n, 2n ** bits])].filter((n) => n <= UINT256));
  }

  /** Of both signs: an int256, or the difference of two uint256. */
  private int(): bigint {
    const value = this.uint();
    return this.random.chance(0.5) ? -value : value;
  }

  private tick(): number {
    const { random } = this;
    return random.chance(0.7)
      ? random.int(-100, 100) * 60
      : random.pick([0, 1, -1, 887_272, -887_272, 887_273, -887_273, 0x7f_ffff, -0x80_0000]);
  }

  private price(): bigint {
    const { random } = this;
    return random.chance(0.6) ? (Q96 * BigInt(random.int(1, 1_000_000))) / 1_000n : this.uint();
  }

  private stated(): { sqrtPriceX96: bigint; liquidity: bigint; tick: number } {
    return { sqrtPriceX96: this.price(), liquidity: this.uint(), tick: this.tick() };
  }

  private event(tx: number): void {
    const { random } = this;
    const pool = random.pick(this.pools);
    const place = { tx, ordinal: this.events.length };
    const of = { ...place, pool: pool.pool };
    const kind = random.pick(EVENT_KINDS);
    switch (kind) {
      case 'swap': {
        const after = poolKinds[pool.kind].statesPrice && random.chance(0.9) ? this.stated() : null;
        const [amount0, amount1] = random.chance(0.7)
          ? opposite(random, this.uint(), this.uint())
          : [this.int(), this.int()];
        this.events.push({ kind, ...of, amount0, amount1, sender: this.address(), recipient: this.address(), after });
        break;
      }
      case 'reserves':
        this.events.push({ kind, ...of, reserve0: this.uint(), reserve1: this.uint() });
        break;
      case 'liquidity': {
        const [tickLower, tickUpper] = [this.tick(), this.tick()].sort((a, b) => (random.chance(0.1) ? b - a : a - b));
        const ticks = { tickLower: tickLower!, tickUpper: tickUpper! };
        const amounts = { liquidityDelta: this.int(), amount0: this.int(), amount1: this.int() };
        this.events.push({ kind, ...of, owner: this.address(), ...ticks, ...amounts });
        break;
      }
      case 'flow':
        this.events.push({ kind, ...of, amount0: this.int(), amount1: this.int() });
        break;
      case 'initialize':
        this.events.push({ kind, ...of, sqrtPriceX96: this.price(), tick: this.tick() });
        break;
      case 'vaults': {
        const maybe = () => (random.chance(0.3) ? null : this.uint());
        this.events.push({ kind, ...of, reserve0: maybe(), reserve1: maybe() });
        break;
      }
      case 'transfer': {
        const [from, to] = [this.address(), this.address()];
        this.events.push({ kind, ...place, token: random.pick(this.ids), from, to, amount: this.uint() });
        break;
      }
      case 'pool-vaults':
        this.events.push({ kind, ...of, vault0: this.address(), vault1: this.address() });
        break;
      case 'authority':
        this.events.push({ kind, ...place, token: random.pick(this.ids), role: 'mint', authority: null });
        break;
      case 'metadata': {
        const transferFeeBps = random.pick([0, 10_000, 65_535]);
        const told = { uri: null, standard: 'token', transferFeeBps, extensions: [] };
        this.events.push({ kind, ...place, token: random.pick(this.ids), ...told });
        break;
      }
      case 'launch': {
        const step = random.pick(['created', 'progress', 'graduated'] as const);
        const launch = { launchpad: 'pumpfun', step, token: random.pick(this.ids), curve: pool.pool, party: null };
        this.events.push({ kind, ...place, ...launch, progressPpm: random.pick([0, 1_000_000]) });
      }
    }
  }

  /** A sane one: a pool of some thousand whole tokens a side, of 18 decimals. */
  private anchor({ pool, kind }: PoolRecord, sane: boolean): PoolAnchor {
    const { random } = this;
    const amount = (): bigint => (sane ? 10n ** 18n * BigInt(random.int(100, 100_000)) : this.uint());
    const state = { pool, reserve0: amount(), reserve1: amount() };
    if (!poolKinds[kind].statesPrice) return { ...state, concentrated: null };
    const ticks: TickRecord[] = [];
    if (sane) {
      const liquidity = 10n ** 20n;
      ticks.push({ tick: -60_000, liquidityGross: liquidity, liquidityNet: liquidity });
      ticks.push({ tick: 60_000, liquidityGross: liquidity, liquidityNet: -liquidity });
      return { ...state, concentrated: { sqrtPriceX96: Q96, tick: 0, liquidity, ticks } };
    }
    for (let n = random.int(0, 4); n > 0; n--) {
      const tick = this.tick();
      if (ticks.some((known) => known.tick === tick)) continue;
      ticks.push({ tick, liquidityGross: this.uint(), liquidityNet: this.int() });
    }
    return { ...state, concentrated: { ...this.stated(), ticks } };
  }
}

const EVENT_KINDS = [
  ...(['swap', 'swap', 'swap', 'swap', 'reserves', 'liquidity', 'flow', 'initialize', 'vaults', 'transfer'] as const),
  ...(['pool-vaults', 'authority', 'metadata', 'launch'] as const),
] as const satisfies readonly ChainEvent['kind'][];

/** A name for each kind; what routes over a chain's venues knows `uniswap-v2` and `uniswap-v3`. */
const venueOf: Readonly<Record<PoolKind, string>> = {
  'constant-product': 'uniswap-v2',
  concentrated: 'uniswap-v3',
  curve: 'curve',
  stable: 'aerodrome',
  shared: 'uniswap-v4',
  hooked: 'uniswap-v4',
};

const opposite = (random: SeededRandom, a: bigint, b: bigint): [bigint, bigint] =>
  random.chance(0.5) ? [a, -b] : [-a, b];
