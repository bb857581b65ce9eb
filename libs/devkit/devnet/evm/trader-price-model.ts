import type { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { pegAt } from '../peg.js';
import type { ChainToken } from './market-plan.js';
import type { PoolView } from './market-view.js';

/**
 * The USD prices that traders take to be fair. They begin at the market's prices and then follow random steps scaled to
 * each token's volatility and the time that passed. Where there are several stables the last one loses its peg now and then.
 */
const MAX_STEP_SECONDS = 3600;
/** Tokens that move less than this are stables: they are worth one dollar when prices are derived from the market. */
const STABLE_VOLATILITY = 0.001;

export class TraderPriceModel {
  private readonly prices = new Map<string, number>();
  private readonly tokenOf: Map<string, ChainToken>;
  private readonly wavering: string | null;
  private firstTime: number | null = null;
  private lastTime: number | null = null;
  private peg = 1;

  constructor(
    private readonly tokens: readonly ChainToken[],
    private readonly random: SeededRandom,
  ) {
    this.tokenOf = new Map(tokens.map((token) => [token.address, token]));
    const stables = tokens.filter(({ volatility }) => volatility < STABLE_VOLATILITY);
    this.wavering = stables.length > 1 ? (stables.at(-1) as ChainToken).address : null;
  }

  usd(address: string): number {
    return this.steady(address) * (address === this.wavering ? this.peg : 1);
  }

  private steady(address: string): number {
    return this.prices.get(address) ?? this.token(address).usd;
  }

  /** Base units of token1 that one base unit of token0 is worth in the model. */
  fairPrice(token0: string, token1: string): number {
    return (this.usd(token0) / this.usd(token1)) * 10 ** (this.token(token1).decimals - this.token(token0).decimals);
  }

  advance(pools: readonly PoolView[], timestamp: number): void {
    if (this.lastTime === null) this.adopt(pools);
    else {
      const days = Math.min(MAX_STEP_SECONDS, Math.max(0, timestamp - this.lastTime)) / 86_400;
      for (const { address, volatility } of this.tokens) {
        const step = volatility * Math.sqrt(days) * this.normal();
        this.prices.set(address, this.steady(address) * Math.exp(step));
      }
    }
    this.lastTime = timestamp;
    this.firstTime ??= timestamp;
    this.peg = pegAt(this.random.seed, timestamp - this.firstTime);
  }

  /** Takes the market's own prices, derived from the stables outwards. */
  private adopt(pools: readonly PoolView[]): void {
    for (const { address, volatility } of this.tokens) if (volatility < STABLE_VOLATILITY) this.prices.set(address, 1);
    for (let round = 0; round < 3; round++) {
      for (const { pool, price } of pools) {
        const whole = price * 10 ** (this.token(pool.token0).decimals - this.token(pool.token1).decimals);
        const [usd0, usd1] = [this.prices.get(pool.token0), this.prices.get(pool.token1)];
        if (usd0 === undefined && usd1 !== undefined) this.prices.set(pool.token0, usd1 * whole);
        if (usd1 === undefined && usd0 !== undefined) this.prices.set(pool.token1, usd0 / whole);
      }
    }
  }

  private token(address: string): ChainToken {
    const token = this.tokenOf.get(address);
    if (!token) throw new RangeError(`no token ${address} in this market`);
    return token;
  }

  private normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.random.next()));
    return radius * Math.cos(2 * Math.PI * this.random.next());
  }
}
