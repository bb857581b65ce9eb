import { encodeFunctionData, type Hex } from 'viem';
import type { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import type { PricedDepth } from '../../closing-trade.js';
import type { AnvilRpc } from '../anvil-rpc.js';
import { withApprovals } from '../approvals.js';
import type { ChainToken } from '../market-plan.js';
import { ERC20_ABI, MAX_UINT128 } from '../periphery-abi.js';
import { unitsOf } from '../token-units.js';
import type { Outgoing } from '../transaction-sender.js';
import { DEALER_ABI } from './abi.js';
import { type ChainV4Pool, COIN_ADDRESS, DEALER, poolKey } from './chain-pool.js';
import { readV4Pools } from './pool-state.js';

/** Of a block with a V4 swap: busy markets, quiet ones. */
const CHANCE = { busy: 0.4, quiet: 0.12 };
/** Of a swap that asks for more than there is. */
const REVERTS = 0.03;
/** Most of the coin that one swap sends along. */
const MOST_COIN = 5n * 10n ** 18n;

export interface UniswapV4Market {
  rpc: AnvilRpc;
  poolManager: string;
  pools: readonly ChainV4Pool[];
  tokens: readonly ChainToken[];
  /** The token that the coin is worth as much as. */
  wrapped: string;
  wallets: readonly string[];
  random: SeededRandom;
  /** USD of one whole token, as the market's other traders see it. */
  usd: (token: string) => number;
  quiet: boolean;
}

/**
 * Seeded traders of Uniswap V4's pools: now and then one of the wallets trades a pool towards the price that the market's
 * other traders hold for fair. Invariant: they have a random sequence of their own, so that the others trade as without
 * them.
 */
export class UniswapV4Traders {
  private readonly tokenOf: ReadonlyMap<string, ChainToken>;

  constructor(private readonly market: UniswapV4Market) {
    const { tokens, wrapped } = market;
    const coin = tokens.find(({ address }) => address === wrapped) as ChainToken;
    this.tokenOf = new Map([...tokens.map((token) => [token.address, token] as const), [COIN_ADDRESS, coin]]);
  }

  /** Transactions of the next block. */
  async plan(): Promise<Outgoing[]> {
    const { random, rpc, pools } = this.market;
    if (!random.chance(this.market.quiet ? CHANCE.quiet : CHANCE.busy)) return [];
    const pool = pools[random.weighted(pools.map(({ weight }) => weight))] as ChainV4Pool;
    const wallet = random.pick(this.market.wallets);
    const [state] = await readV4Pools(rpc, this.market.poolManager, [pool]);
    const { price, depth0, depth1 } = state as PricedDepth;
    const [token0, token1] = [pool.token0, pool.token1].map((side) => this.tokenOf.get(side) as ChainToken);
    const fair = this.fairPrice(token0 as ChainToken, token1 as ChainToken);
    const towards = random.chance(0.7);
    const zeroForOne = price > fair === towards;
    const tokenIn = (zeroForOne ? token0 : token1) as ChainToken;
    const depth = zeroForOne ? depth0 : depth1;
    const wanted = unitsOf({ decimals: tokenIn.decimals, usd: this.usdOf(tokenIn.address) }, 15 * 400 ** random.next());
    const paysCoin = zeroForOne && pool.token0 === COIN_ADDRESS;
    const held = paysCoin ? MOST_COIN : await this.held(tokenIn.address, wallet);
    const amountIn = [wanted, depth / 60n, (held * 7n) / 10n].reduce((a, b) => (a < b ? a : b));
    if (amountIn <= 0n) return [];
    const leastOut = random.chance(REVERTS) ? MAX_UINT128 : 0n;
    const args = [poolKey(pool), zeroForOne, amountIn, leastOut, wallet as Hex] as const;
    const data = encodeFunctionData({ abi: DEALER_ABI, functionName: 'swap', args });
    const transaction = { from: wallet, to: DEALER, data, ...(paysCoin && { value: amountIn }) };
    const approvals: [string, string][] = paysCoin ? [] : [[tokenIn.address, DEALER]];
    return withApprovals(rpc, [{ from: wallet, transactions: [transaction], approvals }]);
  }

  private usdOf(side: string): number {
    return this.market.usd(side === COIN_ADDRESS ? this.market.wrapped : side);
  }

  /** Base units of token1 for one base unit of token0. */
  private fairPrice(token0: ChainToken, token1: ChainToken): number {
    return (this.usdOf(token0.address) / this.usdOf(token1.address)) * 10 ** (token1.decimals - token0.decimals);
  }

  private async held(token: string, wallet: string): Promise<bigint> {
    const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'balanceOf', args: [wallet as Hex] });
    const [held] = await this.market.rpc.view([{ to: token, data }]);
    return BigInt(held ?? '0x0');
  }
}
