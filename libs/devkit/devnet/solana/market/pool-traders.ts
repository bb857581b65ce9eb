import type { Hex } from '#libs/core/ids.js';
import { addLiquidity, type PoolKeys, removeLiquidity, WRAPPED_MINT } from '#programs/client.js';
import { AMM, type ListedPool, unitsWorth } from './market-listing.js';
import { type Action, heldBy, mintOf, missingAccounts, type Scene } from './scene.js';
import type { SeededKey } from './seeded-key.js';
import { type Leg, quoteSteps, swapAction } from './swap-plan.js';
import { associated, type MintRef, TOKEN_2022 } from './token-calls.js';
import { directSwap, type TradeStep } from './trade-calls.js';

/** Trading at the pools: mostly towards the price that traders take to be fair, with realistic sizes. */
const SMALLEST_USD = 12;
const SPREAD = 1200;
/** No swap moves a pool by much: this share of a side at most. */
const MOST_OF_DEPTH = 150n;

const step = (scene: Scene, pool: PoolKeys, mintIn: Hex): TradeStep => ({
  site: { pool },
  mintIn: mintOf(scene, mintIn),
  mintOut: mintOf(scene, mintIn === pool.mintA ? pool.mintB : pool.mintA),
});

export function poolSwap(scene: Scene, wallet: SeededKey): Action | null {
  const { random, view, prices, pools } = scene;
  const { keys } = pools[random.weighted(pools.map(({ weight }) => weight))] as ListedPool;
  const held = view.reserves(keys);
  const fair = prices.fair(keys.mintA, keys.mintB);
  if (held === null || fair === null) return null;
  const gap = Number(held.b) / Number(held.a) / fair - 1;
  const band = keys.feeBps / 10_000;
  const towards = random.chance(Math.abs(gap) > band ? 0.8 : 0.5);
  const aToB = gap > 0 === towards;
  const first = step(scene, keys, aToB ? keys.mintA : keys.mintB);
  const depth = aToB ? held.a : held.b;
  const usd = prices.usd(first.mintIn.id) as number;
  const wanted = unitsWorth(SMALLEST_USD * SPREAD ** random.next(), usd, first.mintIn.decimals);
  const closing = (depth * BigInt(Math.round(Math.min(0.05, Math.abs(gap)) * 1e6))) / 3_000_000n;
  let amountIn = towards && Math.abs(gap) > 3 * band && closing > wanted ? closing : wanted;
  if (amountIn > depth / MOST_OF_DEPTH) amountIn = depth / MOST_OF_DEPTH;
  const own = heldBy(scene, wallet.id, first.mintIn);
  if (first.mintIn.id !== WRAPPED_MINT && own < amountIn) amountIn = (own * 7n) / 10n;
  if (amountIn === 0n) return null;
  return swapAction(scene, wallet, legsFrom(scene, first), amountIn);
}

/** One pool, or a path of up to four over pools and curves, or two ways at once. */
function legsFrom(scene: Scene, first: TradeStep): readonly Leg[] {
  const { random } = scene;
  const steps = [first];
  const passed = new Set([first.mintIn.id, first.mintOut.id]);
  for (const chance of [0.3, 0.3, 0.2]) {
    if (!random.chance(chance)) break;
    const onward = stepsFrom(scene, steps.at(-1)!.mintOut.id).filter(({ mintOut }) => !passed.has(mintOut.id));
    if (onward.length === 0) break;
    const next = random.pick(onward);
    passed.add(next.mintOut.id);
    steps.push(next);
  }
  const other = steps.length === 1 && random.chance(0.2) ? otherWay(scene, first) : null;
  if (other === null) return [{ shareBps: 10_000, steps }];
  const share = random.between(50, 80) * 100;
  return [
    { shareBps: share, steps },
    { shareBps: 10_000 - share, steps: other },
  ];
}

function stepsFrom(scene: Scene, mintIn: Hex): TradeStep[] {
  const pools = scene.pools
    .filter(({ keys }) => keys.mintA === mintIn || keys.mintB === mintIn)
    .map(({ keys }) => step(scene, keys, mintIn));
  const curves = scene.curves
    .filter(({ listed, state }) => state.status === 'trading' && listed.keys.quoteMint === mintIn)
    .map(
      ({ listed }): TradeStep => ({
        site: { curve: listed.keys },
        mintIn: mintOf(scene, mintIn),
        mintOut: listed.mint,
      }),
    );
  return [...pools, ...curves];
}

/** Two pools that end where one does, over a token in between. */
function otherWay(scene: Scene, { mintIn, mintOut }: TradeStep): TradeStep[] | null {
  const ways = stepsFrom(scene, mintIn.id).flatMap((first) =>
    first.mintOut.id === mintOut.id || 'curve' in first.site
      ? []
      : stepsFrom(scene, first.mintOut.id)
          .filter((second) => second.mintOut.id === mintOut.id)
          .map((second) => [first, second]),
  );
  return ways.length > 0 ? scene.random.pick(ways) : null;
}

/** Buys the coin where it is cheap in dollars and sells it where it is expensive, in one transaction. */
export function arbitrage(scene: Scene, wallet: SeededKey): Action | null {
  const { listing, view, random } = scene;
  const [sol, usdc, usdt] = [listing.token('SOL'), listing.token('USDC'), listing.token('USDT')];
  const pool = (stable: MintRef): PoolKeys | undefined =>
    scene.pools.find(({ keys }) => [keys.mintA, keys.mintB].sort().join() === [sol.id, stable.id].sort().join())?.keys;
  const price = (keys: PoolKeys): number => {
    const held = view.reserves(keys);
    if (held === null) return 0;
    return keys.mintA === sol.id ? Number(held.b) / Number(held.a) : Number(held.a) / Number(held.b);
  };
  const [inUsdc, inUsdt] = [pool(usdc), pool(usdt)];
  if (!inUsdc || !inUsdt) return null;
  const cheap = price(inUsdc) < price(inUsdt);
  const buy = step(scene, cheap ? inUsdc : inUsdt, cheap ? usdc.id : usdt.id);
  const sell = step(scene, cheap ? inUsdt : inUsdc, sol.id);
  const held = heldBy(scene, wallet.id, buy.mintIn);
  let amount = unitsWorth(400 * 40 ** random.next(), 1, buy.mintIn.decimals);
  if (amount > held) amount = held;
  const bought = amount === 0n ? null : quoteSteps(scene, [buy], amount);
  if (bought === null || bought === 0n) return null;
  const { id } = wallet;
  return {
    payer: wallet,
    instructions: [
      ...missingAccounts(scene, id, [sol, sell.mintOut]),
      directSwap(id, buy, 'exactIn', amount, (bought * 997n) / 1000n),
      directSwap(id, sell, 'exactIn', (bought * 997n) / 1000n, 1n),
    ],
  };
}

const sharesOf = (pool: PoolKeys, program: Hex): Pick<MintRef, 'id' | 'program'> => ({ id: pool.shareMint, program });

function accountsAt(scene: Scene, wallet: SeededKey, pool: PoolKeys) {
  const [a, b] = [mintOf(scene, pool.mintA), mintOf(scene, pool.mintB)];
  const shares = sharesOf(pool, a.program);
  const at = {
    user: wallet.id,
    userA: associated(wallet.id, a),
    userB: associated(wallet.id, b),
    userShares: associated(wallet.id, shares),
  };
  return { at, mints: [a, b, shares] };
}

export function provide(scene: Scene, wallet: SeededKey): Action | null {
  const { keys } = scene.random.pick(scene.pools);
  const held = scene.view.reserves(keys);
  if (held === null) return null;
  const { at, mints } = accountsAt(scene, wallet, keys);
  const [ownA, ownB] = [scene.view.held(at.userA) / 4n, scene.view.held(at.userB) / 4n];
  const worth = (ownA * held.b) / held.a;
  const mostA = worth < ownB ? ownA : (ownB * held.a) / held.b;
  // Somewhat more of B, so that a pool that moves meanwhile still takes it.
  const mostB = (mostA * held.b * 102n) / (held.a * 100n);
  if (mostA === 0n || mostB === 0n || mostA > held.a / 5n) return null;
  return {
    payer: wallet,
    instructions: [...missingAccounts(scene, wallet.id, mints), addLiquidity(AMM, keys, at, mostA, mostB, 1n)],
  };
}

export function withdraw(scene: Scene, wallet: SeededKey): Action | null {
  const owned = scene.pools.filter(({ keys }) => heldBy(scene, wallet.id, sharesOf(keys, programOf(scene, keys))) > 0n);
  if (owned.length === 0) return null;
  const { keys } = scene.random.pick(owned);
  const { at, mints } = accountsAt(scene, wallet, keys);
  const shares = (scene.view.held(at.userShares) * BigInt(scene.random.between(20, 100))) / 100n;
  if (shares === 0n) return null;
  return {
    payer: wallet,
    instructions: [...missingAccounts(scene, wallet.id, mints), removeLiquidity(AMM, keys, at, shares, 0n, 0n)],
  };
}

const programOf = (scene: Scene, { mintA }: PoolKeys): Hex => mintOf(scene, mintA).program;

/** Whether pools may take the token at all. */
export const isPoolToken = ({ program }: MintRef): boolean => program !== TOKEN_2022;
