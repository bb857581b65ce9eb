import type { Hex } from '#libs/core/ids.js';
import type { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { pegAt } from '../../peg.js';

/**
 * The USD prices that traders take to be fair. They begin at the market's prices, derived from the stables outwards, and
 * then follow random steps scaled to each token's volatility and the time that passed. A stable other than the first loses
 * its peg now and then.
 */
export interface PricedToken {
  id: Hex;
  decimals: number;
  volatility: number;
  stable: boolean;
}

export interface PoolPrice {
  mintA: Hex;
  mintB: Hex;
  /** Base units of B for one base unit of A. */
  price: number;
}

const MAX_STEP_SECONDS = 3600;
const DAY = 86_400;
/** Pools between a stable and the farthest token. */
const ROUNDS = 3;

export class TraderPriceModel {
  private readonly tokens = new Map<Hex, PricedToken>();
  private readonly known = new Map<Hex, number>();
  private readonly stables: Hex[] = [];
  private firstTime: number | null = null;
  private lastTime: number | null = null;
  private peg = 1;

  constructor(private readonly random: SeededRandom) {}

  add(token: PricedToken): void {
    this.tokens.set(token.id, token);
    if (!token.stable) return;
    this.known.set(token.id, 1);
    this.stables.push(token.id);
  }

  /** USD of one whole token; null while it is unknown. */
  usd(id: Hex): number | null {
    const known = this.known.get(id);
    if (known === undefined) return null;
    return this.stables.indexOf(id) > 0 ? known * this.peg : known;
  }

  /** Base units of B that one base unit of A is worth in the model; null while it is unknown. */
  fair(mintA: Hex, mintB: Hex): number | null {
    const [a, b] = [this.usd(mintA), this.usd(mintB)];
    return a === null || b === null ? null : (a / b) * 10 ** (this.decimals(mintB) - this.decimals(mintA));
  }

  /** Takes the market's price for tokens that have none yet. */
  adopt(pools: readonly PoolPrice[]): void {
    for (let round = 0; round < ROUNDS; round++) {
      for (const { mintA, mintB, price } of pools) {
        const whole = price * 10 ** (this.decimals(mintA) - this.decimals(mintB));
        const [a, b] = [this.usd(mintA), this.usd(mintB)];
        if (a === null && b !== null) this.known.set(mintA, b * whole);
        if (b === null && a !== null) this.known.set(mintB, a / whole);
      }
    }
  }

  advance(time: number): void {
    const passed = this.lastTime === null ? 0 : Math.min(MAX_STEP_SECONDS, Math.max(0, time - this.lastTime));
    this.lastTime = time;
    this.firstTime ??= time;
    this.peg = pegAt(this.random.seed, time - this.firstTime);
    for (const { id, volatility, stable } of this.tokens.values()) {
      const now = this.known.get(id);
      if (now === undefined) continue;
      const step = volatility * Math.sqrt(passed / DAY) * this.normal();
      // A stable comes back to its peg.
      this.known.set(id, (stable ? now ** 0.98 : now) * Math.exp(step));
    }
  }

  private decimals(id: Hex): number {
    const token = this.tokens.get(id);
    if (!token) throw new RangeError(`no token ${id} has a price`);
    return token.decimals;
  }

  private normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.random.next()));
    return radius * Math.cos(2 * Math.PI * this.random.next());
  }
}
