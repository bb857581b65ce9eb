import { readFileSync } from 'node:fs';
import { solanaTables } from '#apps/ingest/src/source/solana/tables.js';
import { ChainWorld } from '#apps/ingest/src/source/solana/test/chain-world.js';
import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import type { SourceBlock } from '#libs/chain/chains/source-port.js';
import { instructionTags } from '#libs/chain/market-ports/solana/positions.js';
import { tickArrayAddress } from '#libs/chain/venues/orca-whirlpool/quote.js';
import { orcaWhirlpoolRanges } from '#libs/chain/venues/orca-whirlpool/ranges.js';
import { fixedArrayData, StructWriter } from '#libs/chain/venues/orca-whirlpool/test/accounts.js';
import { randomWorld } from '#libs/chain/venues/orca-whirlpool/test/pool-world.js';
import { orcaWhirlpoolVenue } from '#libs/chain/venues/orca-whirlpool/venue.js';
import { solanaVenues } from '#libs/chain/venues/solana-registry.js';
import { decodeBase58, encodeBase58 } from '#libs/core/base58.js';
import { reportSkipped } from '#libs/devkit/testing/requirements.js';
import { SeededRandom, scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { ChainFold } from '#libs/pipeline/fold/chain-fold.js';
import { bufferOf, derive, type Instruction, idOf, signs, u64, writes } from '#programs/instruction.js';
import { type GenuinePool, wholeAccounts } from './genuine-pool.js';
import { whirlpoolOf } from './genuine-pools.js';
import { directCall, missingProgram, programFile } from './genuine-world.js';

/**
 * A pool of the genuine Whirlpool program on a local chain: positions come, change and go, trades cross them. The ranges that
 * the fold keeps from the log are those of the pool's own accounts after every block.
 */
const { program } = orcaWhirlpoolVenue.decoder;
const SPACING = 64;
const HELD = 1n << 60n;
const MOST = 98;
const [INCREASE, DECREASE] = instructionTags('increase_liquidity decrease_liquidity').map((tag) =>
  Buffer.from(tag, 'hex'),
);
const u128 = (value: bigint): Buffer => Buffer.concat([u64(value & ((1n << 64n) - 1n)), u64(value >> 64n)]);
const account = (owner: string, data: Uint8Array): SolanaAccount => ({ owner, lamports: 10n ** 10n, data });
const text = (id: string): string => encodeBase58(Buffer.from(id, 'hex'));

interface Position {
  address: string;
  token: string;
  lower: number;
  upper: number;
  liquidity: bigint;
}

class Market {
  readonly fold = ChainFold.empty();
  readonly positions: Position[] = [];
  private seq = 0;
  private parentHash = '00';
  private constructor(
    readonly world: ChainWorld,
    readonly pool: GenuinePool,
    private readonly random: SeededRandom,
    readonly own: readonly [string, string],
  ) {}

  static async start(random: SeededRandom): Promise<Market> {
    const world = await ChainWorld.start(solanaTables(solanaVenues));
    world.chain.deploy(program, readFileSync(programFile(program)));
    const mints = [random.hex(32), random.hex(32)].sort().map(text) as [string, string];
    const empty = { ...randomWorld(random, 40), tickSpacing: SPACING, ticks: new Map(), liquidity: 0n, oracle: null };
    const state = { ...empty, feeRate: 3_000, tick: 0, sqrtPrice: 1n << 64n, stored: () => 'fixed' as const };
    const pool = whirlpoolOf(state, mints, [TOKEN_PROGRAM, TOKEN_PROGRAM]);
    const own = mints.map(() => text(random.hex(32))) as [string, string];
    const market = new Market(world, pool, random, own);
    for (const [address, found] of wholeAccounts(pool)) if (found !== null) market.put(address, found);
    for (const start of [-3, -2, -1, 0, 1, 2].map((n) => n * 88 * SPACING))
      market.put(
        tickArrayAddress(pool.address, start),
        account(
          program,
          fixedArrayData(
            pool.address,
            start,
            Array.from({ length: 88 }, () => undefined),
          ),
        ),
      );
    for (const [side, mint] of mints.entries()) market.put(own[side]!, market.tokens(mint, HELD));
    for (let n = 0; n < 8; n++) market.open();
    world.chain.slot();
    const place = { chain: 'sol', epoch: 1, seq: 0, height: 0, hash: '00', parentHash: '', time: 0 };
    const coin = { token: idOf(mints[1]), symbol: 'COIN', decimals: 6 };
    const rules = { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 };
    const reference = {
      family: 'solana',
      genesisHash: '00',
      startHeight: 1,
      decoderVersion: 1,
      coin,
      stables: [],
      rules,
    };
    market.fold.apply({ ...place, kind: 'epoch', reference } as never, '');
    return market;
  }

  private put(address: string, { owner, lamports, data }: SolanaAccount): void {
    this.world.chain.edit({
      ...{ kind: 'account', address },
      account: { owner, lamports, data, executable: false, rentEpoch: 0n },
    });
  }

  private tokens(mint: string, amount: bigint): SolanaAccount {
    const data = Buffer.alloc(165);
    data.set(decodeBase58(mint)!);
    data.set(this.world.payer.publicKey.toBytes(), 32);
    data.writeBigUInt64LE(amount, 64);
    data[108] = 1;
    return account(TOKEN_PROGRAM, data);
  }

  /** An empty position of a random range, whose token the payer has. */
  private open(): void {
    const { random } = this;
    const mint = text(random.hex(32));
    const token = text(random.hex(32));
    const lower = SPACING * random.int(-200, 150);
    const upper = lower + SPACING * random.int(1, 88);
    const address = text(derive(idOf(program), Buffer.from('position'), bufferOf(idOf(mint))).id);
    const data = new StructWriter().hex('aabc8fe47a40f7d0').bytes(this.pool.address).bytes(mint).int(0, 128);
    this.put(address, account(program, data.int(lower, 32).int(upper, 32).zeros(120).done()));
    this.put(token, this.tokens(mint, 1n));
    this.positions.push({ address, token, lower, upper, liquidity: 0n });
  }

  async change(position: Position, delta: bigint): Promise<SourceBlock> {
    const { pool, own, world } = this;
    const array = (tick: number) => tickArrayAddress(pool.address, Math.floor(tick / (88 * SPACING)) * 88 * SPACING);
    const size = delta < 0n ? -delta : delta;
    const bound = delta < 0n ? 0n : HELD;
    const instruction: Instruction = {
      program: idOf(program),
      accounts: [
        ...[writes(idOf(pool.address)), { id: idOf(TOKEN_PROGRAM), signer: false, writable: false }],
        ...[signs(world.payer.publicKey.toBuffer().toString('hex')), writes(idOf(position.address))],
        ...[position.token, ...own, ...pool.vaults, array(position.lower), array(position.upper)].map((at) =>
          writes(idOf(at)),
        ),
      ],
      data: Buffer.concat([delta < 0n ? DECREASE! : INCREASE!, u128(size), u64(bound), u64(bound)]),
    };
    const block = await world.block([instruction]);
    position.liquidity += delta;
    return block;
  }

  /** Null where the pool has nothing to give. */
  async swap(aToB: boolean, amount: bigint): Promise<SourceBlock | null> {
    const { pool, own, world } = this;
    const { pools, instructions } = orcaWhirlpoolVenue;
    const known = this.known((have) => [
      ...pools!.needs(pool.address, have, pool.mints),
      ...instructions!.needs(pool.address, have, pool.mints),
    ]);
    const { slot } = world.chain.slot();
    const quote = pools!
      .read(pool.address, known, { slot: BigInt(slot), unixTime: 1_900_000_000n })
      ?.exactIn(aToB, amount);
    if (!quote) return null;
    const [inputAccount, outputAccount] = aToB ? own : [own[1], own[0]];
    const order = { pool: pool.address, aToB, exact: 'in', amount, limit: 1n, inputAccount, outputAccount } as const;
    const call = instructions!.write({ ...order, trader: world.payer.publicKey.toBase58() }, known, pool.mints);
    return world.block([directCall(call!)]);
  }

  private known(needs: (known: Map<string, SolanaAccount | null>) => readonly string[]) {
    const { chain } = this.world;
    const known = new Map<string, SolanaAccount | null>([[this.pool.address, chain.account(this.pool.address)]]);
    for (;;) {
      const missing = needs(known).filter((address) => !known.has(address));
      if (missing.length === 0) return known;
      for (const address of missing) known.set(address, chain.account(address));
    }
  }

  /** Folds the block; answers what the fold then has of the pool, and what its accounts say. */
  follow(block: SourceBlock) {
    // The local chain has slots in between that are not followed.
    const { parentHash } = this;
    this.parentHash = block.hash;
    this.fold.apply({ ...block, parentHash, kind: 'block', chain: 'sol', epoch: 1, seq: ++this.seq } as never, '');
    const folded = this.fold.pool(idOf(this.pool.address))?.state ?? null;
    const known = this.known((have) => orcaWhirlpoolRanges.needs(this.pool.address, have, MOST));
    return { folded, real: orcaWhirlpoolRanges.read(this.pool.address, known, MOST)! };
  }
}

const missing = missingProgram(program);
if (missing !== null) reportSkipped('ranges of the genuine Whirlpool program', missing);
(missing === null ? describe : describe.skip)('ranges of the genuine Whirlpool program', () => {
  it('are those of its accounts after every block, from the first anchor on', async () => {
    const seed = testSeed(1);
    const random = new SeededRandom(seed);
    const market = await Market.start(random);
    const counts = { swaps: 0, changes: 0, compared: 0, anchors: 0, crossed: 0 };
    try {
      for (const position of market.positions) await market.change(position, BigInt(random.int(1, 1e9)) * 10n ** 4n);
      let tick = 0;
      for (let n = 0; n < scaled(300, 60); n++) {
        const position = random.pick(market.positions);
        const isSwap = n === 0 || random.chance(0.5);
        const amount = BigInt(random.int(1, 1e9)) * 10n ** BigInt(random.int(0, 4));
        const part = random.chance(0.3) ? position.liquidity : position.liquidity / 3n;
        const block = isSwap
          ? await market.swap(random.chance(0.5), amount)
          : await market.change(position, random.chance(0.5) && part > 0n ? -part : amount);
        if (block === null) continue;
        counts[isSwap ? 'swaps' : 'changes']++;
        counts.anchors += block.anchors.length;
        const { folded, real } = market.follow(block);
        if (folded === null || folded.concentrated!.ticks.length === 0) continue;
        if (!('ticks' in real.liquidity)) throw new Error('no ticks');
        const { ticks, liquidity, sqrtPriceX96 } = folded.concentrated!;
        expect({ seed, n, ticks }).toEqual({ seed, n, ticks: real.liquidity.ticks });
        expect({ seed, n, liquidity, sqrtPriceX96 }).toEqual({
          ...{ seed, n, liquidity: real.liquidity.active, sqrtPriceX96: real.sqrtPriceX96 },
        });
        expect([folded.reserve0, folded.reserve1]).toEqual([real.heldA, real.heldB]);
        counts.compared++;
        if (Math.floor(real.tick / SPACING) !== Math.floor(tick / SPACING)) counts.crossed++;
        tick = real.tick;
      }
    } finally {
      await market.world.chain.stop();
    }
    console.log(`seed ${seed}: ${JSON.stringify(counts)}`);
    expect(counts.anchors).toBeGreaterThan(0);
    expect(Math.min(counts.swaps, counts.changes, counts.compared, counts.crossed)).toBeGreaterThan(10);
  }, 600_000);
});
