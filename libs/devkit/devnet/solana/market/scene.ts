import type { Hex } from '#libs/core/ids.js';
import type { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import type { Curve, Instruction } from '#programs/client.js';
import type { Edit } from '../chain-types.js';
import type { ListedCurve, ListedPool, MarketListing } from './market-listing.js';
import type { MarketView } from './market-view.js';
import type { SeededKey } from './seeded-key.js';
import { associated, createAssociated, type MintRef } from './token-calls.js';
import type { TraderPriceModel } from './trader-price-model.js';

/** What the plan of one block is made from, and what it is made of. */
export interface Scene {
  readonly listing: MarketListing;
  readonly random: SeededRandom;
  readonly view: MarketView;
  readonly prices: TraderPriceModel;
  readonly mints: ReadonlyMap<Hex, MintRef>;
  /** Pools with reserves, also those that curves became. */
  readonly pools: readonly ListedPool[];
  readonly curves: readonly OpenCurve[];
}

export interface OpenCurve {
  readonly listed: ListedCurve;
  readonly state: Curve;
}

/** One transaction that a wallet wants to send. */
export interface Action {
  payer: SeededKey;
  signers?: readonly SeededKey[];
  instructions: Instruction[];
  /** What the chain's owner writes into the same block. */
  edits?: readonly Edit[];
}

export function mintOf(scene: Scene, id: Hex): MintRef {
  const mint = scene.mints.get(id);
  if (!mint) throw new RangeError(`the market has no token ${id}`);
  return mint;
}

/** Instructions that make those associated accounts of the owner that are not there. */
export function missingAccounts(
  scene: Scene,
  owner: Hex,
  mints: readonly Pick<MintRef, 'id' | 'program'>[],
): Instruction[] {
  return mints
    .filter((mint) => !scene.view.exists(associated(owner, mint)))
    .map((mint) => createAssociated(owner, owner, mint));
}

export const heldBy = (scene: Scene, owner: Hex, mint: Pick<MintRef, 'id' | 'program'>): bigint =>
  scene.view.held(associated(owner, mint));

const SLIPPAGE_BPS = [30n, 100n, 300n];
/** Share of swaps that ask for more than there is, so that the transaction fails. */
const UNFILLABLE_SHARE = 0.012;

/** The least output that a trader accepts of a quoted one. */
export function leastOf(random: SeededRandom, quoted: bigint): bigint {
  if (random.chance(UNFILLABLE_SHARE)) return quoted + quoted / 20n + 1n;
  return quoted - (quoted * random.pick(SLIPPAGE_BPS)) / 10_000n;
}
