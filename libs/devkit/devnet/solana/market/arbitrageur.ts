import type { Hex } from '#libs/core/ids.js';
import { closingTrade } from '../../closing-trade.js';
import { fundingInstructions } from './funding.js';
import { base58, type ListedPool, unitsWorth } from './market-listing.js';
import { type Action, heldBy, mintOf, missingAccounts, type Scene } from './scene.js';
import { SeededKey } from './seeded-key.js';
import type { MintRef } from './token-calls.js';
import { directSwap } from './trade-calls.js';

/**
 * Trades every planned pool that is out of line by more than its fee back to the price that traders take to be fair, so that
 * pools of one pair, and paths around a triangle, agree within their fees. Invariant: it draws no random numbers, and what it
 * sends belongs before what others send in a slot.
 */
const STOCK_USD = 250_000;

export class Arbitrageur {
  readonly key: SeededKey;

  constructor(
    private readonly deployer: SeededKey,
    seed: number,
  ) {
    this.key = new SeededKey(`tidepool arbitrageur ${seed}`);
  }

  actions(scene: Scene): Action[] {
    const { listing, view } = scene;
    const spent = new Map<Hex, bigint>();
    const trades = listing.pools.flatMap((pool): Action[] => {
      const found = this.closing(scene, pool);
      if (found === null) return [];
      spent.set(found.mintIn.id, (spent.get(found.mintIn.id) ?? 0n) + found.amountIn);
      return [found.action];
    });
    const lacking = [...spent].filter(([mint, amount]) => heldBy(scene, this.key.id, mintOf(scene, mint)) < amount);
    if (lacking.length === 0) return trades;
    // What is short is fetched in this slot and traded in the next.
    const tokens = lacking.map(([mint, amount]) => {
      const { decimals } = mintOf(scene, mint);
      return { mint: base58(mint), amount: amount + unitsWorth(STOCK_USD, scene.prices.usd(mint) ?? 1, decimals) };
    });
    const lamports = view.lamports(this.key.id) === 0n ? { lamports: 100n * 10n ** 9n } : {};
    return fundingInstructions(listing, this.key.id, { tokens, ...lamports }).map((instructions) => ({
      payer: this.deployer,
      instructions,
    }));
  }

  private closing(scene: Scene, { keys }: ListedPool): { mintIn: MintRef; amountIn: bigint; action: Action } | null {
    const held = scene.view.reserves(keys);
    const fair = scene.prices.fair(keys.mintA, keys.mintB);
    if (held === null || fair === null) return null;
    const state = { price: Number(held.b) / Number(held.a), depth0: held.a, depth1: held.b };
    const trade = closingTrade(state, fair, keys.feeBps / 10_000);
    if (trade === null) return null;
    const [first, second] = trade.zeroForOne ? [keys.mintA, keys.mintB] : [keys.mintB, keys.mintA];
    const [mintIn, mintOut] = [mintOf(scene, first), mintOf(scene, second)];
    const { id } = this.key;
    const swap = directSwap(id, { site: { pool: keys }, mintIn, mintOut }, 'exactIn', trade.amountIn, 1n);
    const instructions = [...missingAccounts(scene, id, [mintOut]), swap];
    return { mintIn, amountIn: trade.amountIn, action: { payer: this.key, instructions } };
  }
}
