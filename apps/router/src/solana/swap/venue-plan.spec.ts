import { solanaModule } from '#libs/chain/catalogue/catalogue.js';
import type { KnownAccounts } from '#libs/chain/chains/solana/accounts.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { TOKEN_2022_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { readLaunchlabPool } from '#libs/chain/launchpads/raydium-launchlab/account.js';
import { poolIn, randomShape } from '#libs/chain/launchpads/raydium-launchlab/test/random-pool.js';
import type { GenuineSwap } from '#libs/chain/market-ports/solana/test/genuine-swaps.js';
import { NOON, QuoteWorld } from '#libs/chain/market-ports/solana/test/quote-world.js';
import { propertySeeds, SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import { associatedId, coinsId, idOf, temporaryId, WRAPPED_MINT } from '#programs/client.js';
import type { QuotedSwap } from '../model/solana-quote.js';
import type { SolanaSwapOrder } from '../model/swap-order.js';
import { fitsTransaction } from '../quote/transaction-room.js';
import { bookOf, poolOf, routedSwaps } from '../test/recorded-pool.js';
import { hopAccounts } from '../venues/hop-accounts.js';
import { planSolanaSwap } from './swap-plan.js';

/** Plans over the venues' own pools, as recorded from their deployed programs: the lists that those took are in the route. */
const PROGRAM = 'ab'.repeat(32);
const WALLET = 'cd'.repeat(32);
const text = solanaIds.formatAddress;

function swapOf(venue: string, { order, mints, moved }: GenuineSwap): QuotedSwap {
  const [a, b] = mints.map(idOf) as [string, string];
  const [inputMint, outputMint] = order.aToB ? [a, b] : [b, a];
  const hop = { pool: idOf(order.pool), venue, label: venue, tokenIn: inputMint, tokenOut: outputMint };
  const fee = { fee: 0n, feeSide: 'input' as const };
  return {
    ...{ exact: order.exact, inputMint, outputMint, ...moved, slippageBps: 50, feeBps: 0, feeAmount: 0n },
    threshold: order.exact === 'in' ? moved.amountOut : moved.amountIn,
    legs: [{ shareBps: 10_000, hops: [{ ...hop, ...moved, ...fee }] }],
  };
}

const orderOf = (swap: QuotedSwap): SolanaSwapOrder => ({
  ...{ swap, wallet: WALLET, wraps: true, feeAccount: null, destination: null },
  priority: { kind: 'lamports', lamports: 0n },
});

describe.each(routedSwaps())('%s', (venue, swaps) => {
  it('is routed by the list that its program took, with the wallet’s own accounts in it', () => {
    let later = 0;
    for (const recorded of swaps) {
      const pool = poolOf(venue, recorded);
      expect([pool.quotable, pool.state === null]).toEqual([true, false]);
      const accountsOf = hopAccounts(bookOf(pool));
      const swap = swapOf(venue, recorded);
      const plan = planSolanaSwap(PROGRAM, orderOf(swap), accountsOf);
      const { known, call, order } = recorded;
      const programOf = (mint: string) => idOf(known.get(text(mint))!.owner);
      const own = (mint: string) =>
        mint === WRAPPED_MINT ? temporaryId(PROGRAM, WALLET) : associatedId(WALLET, mint, programOf(mint));
      // What a venue derives from the trader is another account for the wallet.
      const { instructions } = solanaModule(venue)!;
      const walletText = text(WALLET);
      const deposits = (trader: string) => instructions!.deposits?.(order.pool, trader, known) ?? [];
      const theirs = deposits(order.trader);
      const names = new Map([
        ...deposits(walletText).map(({ address }, n): [string, string] => [theirs[n]!.address, idOf(address)]),
        [order.trader, WALLET],
        [order.inputAccount, own(swap.inputMint)],
        [order.outputAccount, own(swap.outputMint)],
      ]);
      const unwraps = instructions!.movesCoins?.(order.pool, known) ?? false;
      expect(plan.unwraps).toBe(unwraps);
      expect(plan.instruction.accounts.slice(10).map(({ id, writable }) => [id, writable])).toEqual([
        ...call.accounts.map(({ address, writable }) => [names.get(address) ?? idOf(address), writable]),
        ...(unwraps ? [[coinsId(PROGRAM, WALLET), true]] : []),
      ]);
      expect(plan.instruction.accounts[8]!.id).toBe(idOf(call.program));
      expect([plan.instruction.data[0], plan.instruction.data[24]]).toEqual([
        order.exact === 'in' ? 10 : 11,
        call.accounts.length + (unwraps ? 1 : 0),
      ]);
      expect(plan.venues).toEqual([idOf(call.program)]);
      const made = [own(swap.outputMint), known.get(text(swap.outputMint))!.owner === TOKEN_2022_PROGRAM ? 170 : 165];
      // Coins are wrapped for the time of the route alone.
      expect(plan.needed.map(({ account, bytes }) => [account, bytes])).toEqual(
        swap.outputMint === WRAPPED_MINT ? [] : [made],
      );
      expect(plan.deposits).toEqual(
        deposits(walletText).map(({ address, ...deposit }) => ({ account: idOf(address), ...deposit })),
      );
      if (plan.needed[0]?.bytes === 170) later++;
      const zeroForOne = pool.token0 === swap.inputMint;
      const hop = { ...swap.legs[0]!.hops[0]!, pool, zeroForOne } as never;
      expect(fitsTransaction(accountsOf, [[hop]], 1)).toBe(true);
      expect(fitsTransaction(accountsOf, [[hop]], 60)).toBe(false);
    }
    if (venue !== 'raydium-v4') expect(later).toBeGreaterThan(0);
  });

  it('is not quoted while a mint may take or hold back tokens, or takes a fee on transfers', () => {
    const tried = swaps.find(({ mints, known }) => mints.some((mint) => known.get(mint)!.owner === TOKEN_2022_PROGRAM));
    if (tried === undefined) return expect(venue).toBe('raydium-v4');
    const mint = tried.mints.find((each) => tried.known.get(each)!.owner === TOKEN_2022_PROGRAM)!;
    const account = tried.known.get(mint)!;
    const withExtension = (type: number, value: Uint8Array): KnownAccounts => {
      const head = Buffer.alloc(4);
      head.writeUInt16LE(type, 0);
      head.writeUInt16LE(value.length, 2);
      const data = Buffer.concat([account.data, Buffer.alloc(165 - 82), Buffer.from([1]), head, value]);
      return new Map(tried.known).set(mint, { ...account, data });
    };
    const fee = Buffer.alloc(108);
    const quotable = (known: KnownAccounts) => poolOf(venue, tried, known).quotable;
    expect(quotable(withExtension(18, Buffer.alloc(64)))).toBe(true);
    expect(quotable(withExtension(1, fee))).toBe(true);
    fee.writeUInt16LE(30, 106);
    expect(quotable(withExtension(1, fee))).toBe(false);
    for (const [type, bytes] of [
      [12, 32],
      [6, 1],
      [9, 0],
      [14, 64],
      [26, 33],
      [777, 4],
    ] as const) {
      expect([type, quotable(withExtension(type, Buffer.alloc(bytes, 1)))]).toEqual([type, false]);
    }
    return undefined;
  });
});

it.each([
  ['pumpswap', 244],
  ['pump-fun', 82],
])(
  '%s: what gives the creator’s fee back is not quoted, because no instruction of a route trades it',
  (venue, flagAt) => {
    const [tried] = routedSwaps().find(([each]) => each === venue)![1] as [GenuineSwap];
    const { order, known } = tried;
    const account = known.get(order.pool)!;
    const quotable = (flag: number): boolean => {
      // An account of an earlier length ends before the flag.
      const data = Buffer.alloc(Math.max(account.data.length, flagAt + 1));
      data.set(account.data);
      data[flagAt] = flag;
      const pool = poolOf(venue, tried, new Map(known).set(order.pool, { ...account, data }));
      return pool.quotable && pool.state !== null;
    };
    expect([quotable(0), quotable(1)]).toEqual([true, false]);
  },
);

it('LaunchLab, which has no recorded swaps, is routed by the list of its instruction; the user pays for accounts of fees', () => {
  const venue = 'raydium-launchlab';
  let routed = 0;
  for (const seed of propertySeeds(40)) {
    const world = new QuoteWorld(new SeededRandom(seed));
    const address = poolIn(world, randomShape(world)).pool;
    const { baseMint, quoteMint } = readLaunchlabPool(world.known.get(address)!.data)!;
    for (const mint of [baseMint, quoteMint]) world.mint(mint, 1n);
    const order = { pool: address, aToB: world.random.chance(0.5), exact: world.random.pick(['in', 'out'] as const) };
    const [trader, inputAccount, outputAccount] = [text(WALLET), text('01'.repeat(32)), text('02'.repeat(32))];
    const whole = { ...order, amount: 1_000n, limit: 1n, trader, inputAccount, outputAccount };
    const { instructions } = solanaModule(venue)!;
    const call = instructions!.write(whole, world.known)!;
    const moved = { amountIn: 1_000n, amountOut: 1_000n };
    const swap = { order: whole, known: world.known, at: NOON, mints: [baseMint, quoteMint] as const, call, moved };
    const pool = poolOf(venue, swap);
    // A random curve may have nothing left to trade at all.
    if (pool.state === null) continue;
    const plan = planSolanaSwap(PROGRAM, orderOf(swapOf(venue, swap)), hopAccounts(bookOf(pool)));
    const [own, other] = (order.aToB ? [baseMint, quoteMint] : [quoteMint, baseMint]).map((mint) =>
      associatedId(WALLET, idOf(mint)),
    );
    const names = new Map([
      [inputAccount, own],
      [outputAccount, other],
    ]);
    expect({ seed, list: plan.instruction.accounts.slice(10).map(({ id, writable }) => [id, writable]) }).toEqual({
      seed,
      list: call.accounts.map(({ address: each, writable }) => [names.get(each) ?? idOf(each), writable]),
    });
    expect(plan.instruction.accounts[1]).toEqual({ id: WALLET, signer: true, writable: true });
    const fees = call.accounts.slice(16).map(({ address: each }) => ({ account: idOf(each), bytes: 165 }));
    expect([plan.deposits, plan.unwraps]).toEqual([fees, false]);
    routed++;
  }
  expect(routed).toBeGreaterThan(20);
});
