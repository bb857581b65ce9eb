import { type Curve, type Instruction, temporaryId, WRAPPED_MINT } from '#programs/client.js';
import { SWAP } from './market-listing.js';
import { curveBuy, curveSell } from './program-amounts.js';
import { type Action, heldBy, leastOf, missingAccounts, type Scene } from './scene.js';
import type { SeededKey } from './seeded-key.js';
import { associated, syncNative, transferLamports } from './token-calls.js';
import { directSwap, type Mode, routedSwap, type TradeStep } from './trade-calls.js';

/**
 * A swap as a wallet sends it: at the venue or through the swap program, with wrapped coins or native ones, exact on
 * either side. Limits come from the state that the wallet sees; earlier transactions of the block move that state.
 */
export interface Leg {
  shareBps: number;
  steps: readonly TradeStep[];
}

/** Lamports that a wallet keeps for fees and rents. */
const KEPT_LAMPORTS = 50n * 10n ** 9n;

/** What the steps pay for the input, one after the other; null where one refuses. */
export function quoteSteps(scene: Scene, steps: readonly TradeStep[], amount: bigint): bigint | null {
  let left: bigint | null = amount;
  for (const step of steps) left = left === null ? null : quoteStep(scene, step, left);
  return left;
}

function quoteStep(scene: Scene, { site, mintIn }: TradeStep, amount: bigint): bigint | null {
  if ('pool' in site) return scene.view.poolQuote(site.pool, mintIn.id, 'exactIn', amount);
  const state = scene.curves.find(({ listed }) => listed.keys === site.curve)?.state;
  if (state?.status !== 'trading') return null;
  return tradeAt(state, mintIn.id === site.curve.quoteMint, amount);
}

function tradeAt(curve: Curve, buys: boolean, amount: bigint): bigint | null {
  if (buys) return curveBuy(curve, amount)?.output ?? null;
  return amount > curve.forSale - curve.remaining ? null : (curveSell(curve, amount)?.output ?? null);
}

/** The swap of an input along one or more legs; null when it gives nothing or the wallet lacks the input. */
export function swapAction(scene: Scene, wallet: SeededKey, legs: readonly Leg[], amountIn: bigint): Action | null {
  const { random } = scene;
  const quoted = quoteLegs(scene, legs, amountIn);
  if (quoted === null || quoted === 0n) return null;
  const steps = legs[0]!.steps;
  const exactOut = random.chance(0.15);
  const mode: Mode = exactOut ? 'exactOut' : 'exactIn';
  // An exact output somewhat below what the input would give: then a limit near the input suffices.
  const amount = exactOut ? (quoted * 98n) / 100n : amountIn;
  if (amount === 0n) return null;
  const limit = exactOut ? amountIn : leastOf(random, quoted);
  const isRoute = legs.length > 1 || steps.length > 1 || random.chance(0.3);
  return isRoute
    ? routed(scene, wallet, legs, { mode, amount, limit, amountIn })
    : direct(scene, wallet, steps[0]!, { mode, amount, limit, amountIn });
}

function quoteLegs(scene: Scene, legs: readonly Leg[], amountIn: bigint): bigint | null {
  let sum = 0n;
  for (const { shareBps, steps } of legs) {
    const out = quoteSteps(scene, steps, (amountIn * BigInt(shareBps)) / 10_000n);
    if (out === null) return null;
    sum += out;
  }
  return sum;
}

interface Terms {
  mode: Mode;
  amount: bigint;
  limit: bigint;
  amountIn: bigint;
}

function direct(scene: Scene, wallet: SeededKey, step: TradeStep, terms: Terms): Action | null {
  const { id } = wallet;
  const paid = payIn(scene, wallet, step, terms.amountIn);
  if (paid === null) return null;
  const swap = directSwap(id, step, terms.mode, terms.amount, terms.limit);
  return { payer: wallet, instructions: [...missingAccounts(scene, id, [step.mintIn, step.mintOut]), ...paid, swap] };
}

/** Wrapped coins that a direct swap needs beyond those that are held; null when the wallet lacks the input. */
function payIn(scene: Scene, wallet: SeededKey, { mintIn }: TradeStep, amountIn: bigint): Instruction[] | null {
  const held = heldBy(scene, wallet.id, mintIn);
  if (held >= amountIn) return [];
  const lacking = amountIn - held;
  if (mintIn.id !== WRAPPED_MINT || !canSpend(scene, wallet, lacking)) return null;
  const account = associated(wallet.id, mintIn);
  return [transferLamports(wallet.id, account, lacking), syncNative(account)];
}

const canSpend = (scene: Scene, wallet: SeededKey, lamports: bigint): boolean =>
  scene.view.lamports(wallet.id) >= lamports + KEPT_LAMPORTS;

function routed(scene: Scene, wallet: SeededKey, legs: readonly Leg[], terms: Terms): Action | null {
  const { random } = scene;
  const { id } = wallet;
  const [first, last] = [legs[0]!.steps[0]!, legs[0]!.steps.at(-1)!];
  const { mode, amount, limit, amountIn } = terms;
  const order = { user: id, mode, amount, limit, legs };
  const touched = [...new Set(legs.flatMap(({ steps }) => steps.map(({ mintOut }) => mintOut)))];
  const send = (instruction: Instruction, own: typeof touched): Action => ({
    payer: wallet,
    instructions: [...missingAccounts(scene, id, own), instruction],
  });
  const temporary = temporaryId(SWAP, id);
  const held = heldBy(scene, id, first.mintIn);
  const paysCoins = first.mintIn.id === WRAPPED_MINT && (held < amountIn || random.chance(0.6));
  if (paysCoins) {
    if (!canSpend(scene, wallet, amountIn)) return null;
    return send(routedSwap({ ...order, native: { side: 'input', holder: 'temporary' }, temporary }), touched);
  }
  if (held < amountIn) return null;
  if (last.mintOut.id === WRAPPED_MINT && random.chance(0.6)) {
    const own = touched.filter((mint) => mint.id !== WRAPPED_MINT);
    return send(routedSwap({ ...order, native: { side: 'output', holder: 'temporary' }, temporary }), own);
  }
  return send(routedSwap(order), touched);
}
