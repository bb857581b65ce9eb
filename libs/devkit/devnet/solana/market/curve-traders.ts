import {
  claimFees,
  createCurve,
  curveAccounts,
  graduate as graduation,
  type Instruction,
  swapExactIn,
  WRAPPED_MINT,
} from '#programs/client.js';
import { AMM, LOCAL_LAUNCHPAD_ID } from './market-listing.js';
import { metadataEdit } from './market-setup.js';
import { curveBuyExact } from './program-amounts.js';
import { type Action, heldBy, missingAccounts, type OpenCurve, type Scene } from './scene.js';
import type { SeededKey } from './seeded-key.js';
import { swapAction } from './swap-plan.js';
import { associated, syncNative, transferLamports, unitLimit } from './token-calls.js';
import { directSwap, type TradeStep } from './trade-calls.js';

/** Life on the launchpad: tokens are made, bought and sold, and become pools. */
const GRADUATION_UNITS = 400_000;

/** Makes the token of that index, and mostly buys some of it in the same transaction. */
export function launch(scene: Scene, wallet: SeededKey, index: number): Action {
  const { listing, random } = scene;
  const { plan, keys, mint, mintKey } = listing.curve(index);
  const { name, symbol, uri, virtualQuote, feeBps, poolFeeBps } = plan;
  const instructions: Instruction[] = [
    createCurve(LOCAL_LAUNCHPAD_ID, keys, { creator: wallet.id, virtualQuote, feeBps, poolFeeBps, name, symbol, uri }),
  ];
  const quote = listing.token(plan.quote);
  const amount = random.fraction(virtualQuote, 0.01, 0.1);
  const pays = quote.id === WRAPPED_MINT || heldBy(scene, wallet.id, quote) >= amount;
  if (random.chance(0.8) && pays) instructions.push(...firstBuy(scene, wallet, index, amount));
  const edits = [metadataEdit(mint.id, wallet.id, { name, symbol, uri })];
  return { payer: wallet, signers: [mintKey], instructions, edits };
}

/** A buy at a curve that may be as new as the transaction. */
function firstBuy(scene: Scene, wallet: SeededKey, index: number, amount: bigint): Instruction[] {
  const { plan, keys, mint } = scene.listing.curve(index);
  const quote = scene.listing.token(plan.quote);
  const account = associated(wallet.id, quote);
  const wraps = quote.id === WRAPPED_MINT;
  return [
    ...missingAccounts(scene, wallet.id, [quote, mint]),
    ...(wraps ? [transferLamports(wallet.id, account, amount), syncNative(account)] : []),
    swapExactIn(
      LOCAL_LAUNCHPAD_ID,
      curveAccounts(keys, quote.id),
      { user: wallet.id, userIn: account, userOut: associated(wallet.id, mint) },
      amount,
      1n,
    ),
  ];
}

/** Of a launch that snipers buy into. */
const SNIPED = 0.7;

/** Buys behind the launch of that index, in its slot; none where coins do not pay for it. */
export function snipe(scene: Scene, snipers: readonly SeededKey[], index: number): Action[] {
  const { random, listing } = scene;
  const { plan } = listing.curve(index);
  if (listing.token(plan.quote).id !== WRAPPED_MINT || !random.chance(SNIPED)) return [];
  return snipers.slice(0, random.between(1, snipers.length)).map((payer) => ({
    payer,
    instructions: firstBuy(scene, payer, index, random.fraction(plan.virtualQuote, 0.02, 0.1)),
  }));
}

/** A buy or a sale at one of the open curves. */
export function curveTrade(scene: Scene, wallet: SeededKey): Action | null {
  const { random, listing } = scene;
  const open = scene.curves.filter(({ state }) => state.status === 'trading');
  if (open.length === 0) return null;
  const { listed } = open[random.weighted(open.map(({ listed: { plan } }) => plan.demand ** 3))] as OpenCurve;
  const { keys, mint, plan } = listed;
  const quote = listing.token(plan.quote);
  const owned = heldBy(scene, wallet.id, mint);
  const buys = owned === 0n || random.chance(plan.demand);
  const step: TradeStep = {
    site: { curve: keys },
    ...(buys ? { mintIn: quote, mintOut: mint } : { mintIn: mint, mintOut: quote }),
  };
  const amount = buys
    ? random.fraction(plan.virtualQuote, 0.006, 0.1)
    : (owned * BigInt(random.between(20, 100))) / 100n;
  if (amount === 0n) return null;
  return swapAction(scene, wallet, [{ shareBps: 10_000, steps: [step] }], amount);
}

/** Buys all that a curve still sells. */
export function buyOut(scene: Scene, wallet: SeededKey, { listed, state }: OpenCurve): Action | null {
  const quote = scene.listing.token(listed.plan.quote);
  const cost = curveBuyExact(state, state.remaining)?.input;
  const lacking = (cost ?? 0n) - heldBy(scene, wallet.id, quote);
  if (cost === undefined || (lacking > 0n && quote.id !== WRAPPED_MINT)) return null;
  const account = associated(wallet.id, quote);
  const step: TradeStep = { site: { curve: listed.keys }, mintIn: quote, mintOut: listed.mint };
  return {
    payer: wallet,
    instructions: [
      ...missingAccounts(scene, wallet.id, [quote, listed.mint]),
      ...(lacking > 0n ? [transferLamports(wallet.id, account, lacking), syncNative(account)] : []),
      directSwap(wallet.id, step, 'exactOut', state.remaining, cost),
    ],
  };
}

/** Turns a curve that sold everything into a pool. */
export function graduate(wallet: SeededKey, { listed }: OpenCurve): Action {
  const { keys, plan } = listed;
  const order = { launchpad: LOCAL_LAUNCHPAD_ID, amm: AMM, payer: wallet.id, curve: keys, poolFeeBps: plan.poolFeeBps };
  return { payer: wallet, instructions: [unitLimit(GRADUATION_UNITS), graduation(order)] };
}

/** A creator takes the fees of the curve. */
export function claim(scene: Scene): Action | null {
  const { random, listing } = scene;
  const due = scene.curves.filter(({ state }) => state.fees > 0n);
  if (due.length === 0) return null;
  const { listed, state } = random.pick(due);
  const creator = listing.wallets.find(({ id }) => id === state.creator);
  if (!creator) return null;
  const quote = listing.token(listed.plan.quote);
  return {
    payer: creator,
    instructions: [
      ...missingAccounts(scene, creator.id, [quote]),
      claimFees(LOCAL_LAUNCHPAD_ID, listed.keys, creator.id, associated(creator.id, quote)),
    ],
  };
}
