import { encodeFunctionData, type Hex } from 'viem';
import { quantityText } from '#libs/devkit/chain-builder/rpc-shapes.js';
import { closingTrade, type PricedDepth } from '../closing-trade.js';
import type { AnvilRpc } from './anvil-rpc.js';
import { type Action, withApprovals } from './approvals.js';
import type { ChainPool, ChainToken, ExchangeSites } from './market-plan.js';
import { readMarket } from './market-view.js';
import { ERC20_ABI, WETH_ABI } from './periphery-abi.js';
import { type LocalSwapOrder, v2RouterCall, v3RouterCall } from './swap-orders.js';
import { unitsOf } from './token-units.js';
import type { Outgoing } from './transaction-sender.js';
import { DEALER_ABI } from './uniswap-v4/abi.js';
import { type ChainV4Pool, COIN_ADDRESS, DEALER, NO_HOOKS, poolKey } from './uniswap-v4/chain-pool.js';
import { readV4Pools } from './uniswap-v4/pool-state.js';

/** What a taxed token keeps of a transfer, and what the hook keeps of a swap. */
const TAX = 0.03;
const HOOK_SHARE = 0.01;
/** What the arbitrageur gets at a time when it has run out of a token. */
const STOCK_USD = 250_000;
const STOCK_COIN = 200n * 10n ** 18n;
const REFILLED_ETHER = 2_000n * 10n ** 18n;
const LOW_ETHER = 1_000n * 10n ** 18n;

export interface ArbitrageMarket {
  rpc: AnvilRpc;
  sites: ExchangeSites;
  tokens: readonly ChainToken[];
  pools: readonly ChainPool[];
  v4: { poolManager: string; pools: readonly ChainV4Pool[] } | null;
  wallet: string;
  /** Holds what the arbitrageur is given. */
  deployer: string;
  /** USD of one whole token, as the market's traders see it. */
  usd: (token: string) => number;
}

interface Opening {
  tokenIn: string;
  amountIn: bigint;
  spender: string;
  transaction: { to: string; data: Hex; value?: bigint };
}

/**
 * Trades every pool that is out of line by more than its cost back to the fair price, so that pools of one pair, and paths
 * around a triangle, agree within their fees. Invariant: what it does follows from the state of the pools and the prices
 * that traders hold for fair; it draws no random numbers. Its transactions belong before those of others in a block.
 */
export class Arbitrageur {
  private readonly tokenOf: ReadonlyMap<string, ChainToken>;

  constructor(private readonly market: ArbitrageMarket) {
    const { tokens, sites } = market;
    const coin = tokens.find(({ address }) => address === sites.wrapped) as ChainToken;
    this.tokenOf = new Map([...tokens.map((token) => [token.address, token] as const), [COIN_ADDRESS, coin]]);
  }

  /** Transactions at the beginning of the next block. */
  async plan(): Promise<Outgoing[]> {
    const { rpc, pools, tokens, wallet, v4 } = this.market;
    const view = await readMarket(rpc, pools, tokens, [wallet]);
    const states = v4 ? await readV4Pools(rpc, v4.poolManager, v4.pools) : [];
    const openings = [
      ...view.pools.map((state) => this.atPool(state.pool, state)),
      ...states.map((state, n) => this.atV4Pool(v4?.pools[n] as ChainV4Pool, state)),
    ].filter((opening) => opening !== null);
    if (openings.length === 0) return [];
    if ((view.ether.get(wallet) ?? 0n) < LOW_ETHER) {
      await rpc.batch([{ method: 'anvil_setBalance', params: [wallet, quantityText(REFILLED_ETHER)] }]);
    }
    const needed = new Map<string, bigint>();
    for (const { tokenIn, amountIn } of openings) needed.set(tokenIn, (needed.get(tokenIn) ?? 0n) + amountIn);
    const stocked = [...needed]
      .filter(([token, amount]) => token !== COIN_ADDRESS && (view.balances.get(`${wallet} ${token}`) ?? 0n) < amount)
      .map(([token, amount]) => this.stock(token, amount));
    const actions = openings.map(
      ({ tokenIn, spender, transaction }): Action => ({
        from: wallet,
        transactions: [{ from: wallet, ...transaction }],
        approvals: tokenIn === COIN_ADDRESS ? [] : [[tokenIn, spender]],
      }),
    );
    return [...stocked, ...(await this.approved(actions))];
  }

  /** One action of all, so that an approval that several of them need is given once. */
  private approved(actions: readonly Action[]): Promise<Outgoing[]> {
    const approvals = new Map(actions.flatMap((action) => action.approvals.map((each) => [each.join(' '), each])));
    return withApprovals(this.market.rpc, [
      {
        from: this.market.wallet,
        transactions: actions.flatMap(({ transactions }) => transactions),
        approvals: [...approvals.values()],
      },
    ]);
  }

  private token(address: string): ChainToken {
    return this.tokenOf.get(address) as ChainToken;
  }

  private fairPrice(token0: ChainToken, token1: ChainToken): number {
    const { usd } = this.market;
    return (usd(token0.address) / usd(token1.address)) * 10 ** (token1.decimals - token0.decimals);
  }

  private atPool(pool: ChainPool, state: PricedDepth): Opening | null {
    const { sites, wallet } = this.market;
    const [token0, token1] = [this.token(pool.token0), this.token(pool.token1)];
    const taxed = token0.taxed || token1.taxed;
    const trade = closingTrade(state, this.fairPrice(token0, token1), pool.fee / 1e6 + (taxed ? TAX : 0));
    if (trade === null) return null;
    const path = (trade.zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0]) as [Hex, Hex];
    const order: LocalSwapOrder = {
      ...{ pools: [pool], path, amountIn: trade.amountIn, amountOutMin: 0n, recipient: wallet as Hex },
      ...{ payEther: false, takeEther: false, taxed },
    };
    const { router, data } = pool.version === 'v3' ? v3RouterCall(sites, order) : v2RouterCall(sites, order);
    return { tokenIn: path[0], amountIn: trade.amountIn, spender: router, transaction: { to: router, data } };
  }

  private atV4Pool(pool: ChainV4Pool, state: PricedDepth): Opening | null {
    const fair = this.fairPrice(this.token(pool.token0), this.token(pool.token1));
    const cost = pool.fee / 1e6 + (pool.hooks === NO_HOOKS ? 0 : HOOK_SHARE);
    const trade = closingTrade(state, fair, cost);
    if (trade === null) return null;
    const { zeroForOne, amountIn } = trade;
    const tokenIn = zeroForOne ? pool.token0 : pool.token1;
    const args = [poolKey(pool), zeroForOne, amountIn, 0n, this.market.wallet as Hex] as const;
    const data = encodeFunctionData({ abi: DEALER_ABI, functionName: 'swap', args });
    const value = tokenIn === COIN_ADDRESS ? { value: amountIn } : {};
    return { tokenIn, amountIn, spender: DEALER, transaction: { to: DEALER, data, ...value } };
  }

  /** The coin is wrapped; everything else comes from who made the market. */
  private stock(token: string, amount: bigint): Outgoing {
    const { sites, wallet, deployer } = this.market;
    if (token === sites.wrapped) {
      const data = encodeFunctionData({ abi: WETH_ABI, functionName: 'deposit' });
      return { from: wallet, to: token, data, value: amount > STOCK_COIN ? amount : STOCK_COIN };
    }
    const stock = unitsOf(this.token(token), STOCK_USD) + 2n * amount;
    const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'transfer', args: [wallet as Hex, stock] });
    return { from: deployer, to: token, data, gas: 150_000 };
  }
}
