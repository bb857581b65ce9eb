import { createRequire } from 'node:module';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { QuoteWorld } from '#libs/chain/market-ports/solana/test/quote-world.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { readLaunchlabPool } from './account.js';
import { raydiumLaunchlabSwaps } from './instruction.js';
import { raydiumLaunchlabCurves } from './quote.js';
import { bn, poolIn, randomShape } from './test/random-pool.js';

/** No executable of LaunchLab is published: its instructions are those of Raydium's SDK, byte for byte. */
const require = createRequire(import.meta.url);
const sdk = require('@raydium-io/raydium-sdk-v2');
const { PublicKey } = require('@solana/web3.js');
const key = (address: string) => new PublicKey(address);
const { program } = raydiumLaunchlabCurves;
const WRITERS = {
  buy: { in: sdk.buyExactInInstruction, out: sdk.buyExactOutInstruction },
  sell: { in: sdk.sellExactInInstruction, out: sdk.sellExactOut },
};

/** A random pool, with mints of either token program. */
function worldOf(random: SeededRandom) {
  const world = new QuoteWorld(random);
  const { pool } = poolIn(world, randomShape(world));
  const { baseMint, quoteMint, ...fields } = readLaunchlabPool(world.known.get(pool)!.data)!;
  const base = random.pick([TOKEN_PROGRAM, TOKEN_2022_PROGRAM]);
  for (const mint of [baseMint, quoteMint]) world.mint(mint, 1n);
  world.put(baseMint, base, world.known.get(baseMint)!.data);
  return { known: world.known, world, pool, baseMint, quoteMint, base, ...fields };
}

function orderOf(random: SeededRandom, { world, pool }: { world: QuoteWorld; pool: string }) {
  return {
    ...{ pool, aToB: random.chance(0.5), exact: random.pick(['in', 'out'] as const) },
    ...{ amount: world.amount(63), limit: world.amount(63) },
    ...{ trader: world.key(), inputAccount: world.key(), outputAccount: world.key() },
  };
}

it('instructions are those of the SDK, in both directions and with either side exact', () => {
  expect(sdk.LAUNCHPAD_PROGRAM.toBase58()).toBe(program);
  const seen = new Set<string>();
  for (const seed of propertySeeds(scaled(1_000, 60))) {
    const random = new SeededRandom(seed);
    const found = worldOf(random);
    const order = orderOf(random, found);
    const own = order.aToB ? [order.inputAccount, order.outputAccount] : [order.outputAccount, order.inputAccount];
    const theirs = WRITERS[order.aToB ? 'sell' : 'buy'][order.exact](
      ...[program, order.trader].map(key),
      sdk.getPdaLaunchpadAuth(key(program)).publicKey,
      ...[found.config, found.platform, order.pool, ...own, found.baseVault, found.quoteVault].map(key),
      ...[found.baseMint, found.quoteMint, found.base, TOKEN_PROGRAM].map(key),
      sdk.getPdaPlatformVault(key(program), key(found.platform), key(found.quoteMint)).publicKey,
      sdk.getPdaCreatorVault(key(program), key(found.creator), key(found.quoteMint)).publicKey,
      ...[bn(order.amount), bn(order.limit)],
    );
    const ours = raydiumLaunchlabSwaps.write(order, found.known)!;
    expect({ seed, program: ours.program, data: Buffer.from(ours.data).toString('hex') }).toEqual({
      ...{ seed, program: theirs.programId.toBase58(), data: theirs.data.toString('hex') },
    });
    expect({ seed, accounts: ours.accounts }).toEqual({
      seed,
      accounts: theirs.keys.map(
        ({ pubkey, isSigner, isWritable }: { pubkey: typeof PublicKey; isSigner: boolean; isWritable: boolean }) => ({
          ...{ address: pubkey.toBase58(), signs: isSigner, writable: isWritable },
        }),
      ),
    });
    seen.add(`${order.aToB} ${order.exact}`);
  }
  expect(seen.size).toBe(4);
});

it('the accounts of the fees are what the trader may pay the rent of', () => {
  const random = new SeededRandom(7);
  const found = worldOf(random);
  const order = orderOf(random, found);
  const accounts = raydiumLaunchlabSwaps.write(order, found.known)!.accounts.slice(16);
  const deposits = raydiumLaunchlabSwaps.deposits!(found.pool, order.trader, found.known);
  expect(deposits).toEqual(accounts.map(({ address }) => ({ address, bytes: 165 })));
  expect(raydiumLaunchlabSwaps.deposits!(found.pool, order.trader, new Map())).toEqual([]);
});

it('there is none without the pool or a mint, and none of another program’s account', () => {
  const random = new SeededRandom(8);
  const found = worldOf(random);
  const order = orderOf(random, found);
  expect(raydiumLaunchlabSwaps.needs(found.pool, found.known)).toEqual([found.baseMint, found.quoteMint]);
  for (const address of [found.pool, found.baseMint, found.quoteMint]) {
    const account = found.known.get(address)!;
    for (const other of [null, { ...account, owner: order.trader }, { ...account, data: account.data.slice(0, 40) }]) {
      const known = new Map(found.known).set(address, other);
      expect(raydiumLaunchlabSwaps.write(order, known)).toBeNull();
      if (address === found.pool) expect(raydiumLaunchlabSwaps.needs(found.pool, known)).toEqual([]);
    }
  }
});
