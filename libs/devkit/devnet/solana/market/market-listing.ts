import { TIDEPOOL_AMM, TIDEPOOL_LAUNCHPAD, TIDEPOOL_SWAP } from '#libs/chain/chains/solana/tidepool-programs.js';
import { encodeBase58 } from '#libs/core/base58.js';
import type { Hex } from '#libs/core/ids.js';
import {
  bufferOf,
  type CurveKeys,
  curveKeys,
  idOf,
  type PoolKeys,
  poolKeys,
  TOKEN_PROGRAM_ID,
} from '#programs/client.js';
import { type PlannedLaunch, type PlannedToken, POOLS, plannedLaunch, TOKENS } from './plan.js';
import { SeededKey } from './seeded-key.js';
import { type MintRef, TOKEN_2022 } from './token-calls.js';

/**
 * Who and what is in the market. All of it follows from the chain's seed and the plan, so that a resumed chain needs no
 * record other than its blocks.
 */
export const AMM = idOf(TIDEPOOL_AMM);
export const LOCAL_LAUNCHPAD_ID = idOf(TIDEPOOL_LAUNCHPAD);
export const SWAP = idOf(TIDEPOOL_SWAP);

export const base58 = (id: Hex): string => encodeBase58(bufferOf(id));

export interface ListedToken extends MintRef {
  plan: PlannedToken;
  /** Key of the mint's address; null where that is fixed. */
  key: SeededKey | null;
}

export interface ListedPool {
  keys: PoolKeys;
  weight: number;
}

export interface ListedCurve {
  index: number;
  plan: PlannedLaunch;
  mintKey: SeededKey;
  keys: CurveKeys;
  mint: MintRef;
  /** The pool it becomes. */
  pool: PoolKeys;
}

const WALLETS = 24;

export class MarketListing {
  /** Makes the market: owner of the programs and of every mint, provider of the first liquidity. */
  readonly deployer: SeededKey;
  readonly wallets: readonly SeededKey[];
  readonly tokens: readonly ListedToken[];
  readonly pools: readonly ListedPool[];
  private readonly launched: ListedCurve[] = [];
  private readonly bySymbol: ReadonlyMap<string, ListedToken>;

  constructor(readonly seed: number) {
    this.deployer = new SeededKey(`tidepool deployer ${seed}`);
    this.wallets = Array.from({ length: WALLETS }, (_, i) => new SeededKey(`tidepool trader ${seed} ${i}`));
    this.tokens = TOKENS.map((plan) => {
      const key = plan.address === undefined ? new SeededKey(`tidepool mint ${seed} ${plan.symbol}`) : null;
      const program = plan.token2022 ? TOKEN_2022 : TOKEN_PROGRAM_ID;
      return { plan, key, id: key?.id ?? idOf(plan.address as string), decimals: plan.decimals, program };
    });
    this.bySymbol = new Map(this.tokens.map((token) => [token.plan.symbol, token]));
    this.pools = POOLS.map(({ pair: [a, b], feeBps, weight }) => ({
      keys: poolKeys(AMM, this.token(a).id, this.token(b).id, this.deployer.id, feeBps),
      weight,
    }));
  }

  token(symbol: string): ListedToken {
    const token = this.bySymbol.get(symbol);
    if (!token) throw new RangeError(`the plan has no token ${symbol}`);
    return token;
  }

  /** The nth token of the launchpad, whether it was launched yet or not. */
  curve(index: number): ListedCurve {
    for (let next = this.launched.length; next <= index; next++) this.launched.push(this.plannedCurve(next));
    return this.launched[index] as ListedCurve;
  }

  private plannedCurve(index: number): ListedCurve {
    const plan = plannedLaunch(index);
    const mintKey = new SeededKey(`tidepool launch ${this.seed} ${index}`);
    const quote = this.token(plan.quote).id;
    const keys = curveKeys(LOCAL_LAUNCHPAD_ID, mintKey.id, quote);
    const mint = { id: mintKey.id, decimals: 6, program: TOKEN_PROGRAM_ID };
    return { index, plan, mintKey, keys, mint, pool: poolKeys(AMM, mintKey.id, quote, keys.id, plan.poolFeeBps) };
  }
}

/** Base units of that many dollars of a token. */
export function unitsWorth(usd: number, price: number, decimals: number): bigint {
  const millionths = BigInt(Math.max(0, Math.round((usd / price) * 1e6)));
  return (millionths * 10n ** BigInt(decimals)) / 1_000_000n;
}
