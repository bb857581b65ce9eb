import { decodeAbiParameters, encodeFunctionData, type Hex } from 'viem';
import type { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { quantityText } from '#libs/devkit/chain-builder/rpc-shapes.js';
import type { AnvilRpc } from './anvil-rpc.js';
import { type Action, withApprovals } from './approvals.js';
import type { ChainPool, ChainToken, ExchangeSites } from './market-plan.js';
import { type MarketView, type PoolView, readMarket } from './market-view.js';
import { ERC20_ABI, MAX_UINT128, NO_DEADLINE, POSITION_MANAGER_ABI, V2_ROUTER_ABI, WETH_ABI } from './periphery-abi.js';
import { type LocalSwapOrder, type RouterCall, v2RouterCall, v2SwapRouter02Call, v3RouterCall } from './swap-orders.js';
import { tickRange } from './tick-range.js';
import { unitsOf } from './token-units.js';
import { TraderPriceModel } from './trader-price-model.js';
import type { Outgoing } from './transaction-sender.js';

/**
 * Seeded traders. Every token has a random price that the traders take to be fair; they mostly trade pools towards
 * it, through the genuine routers, with sizes as people have them. They also provide liquidity, move tokens and wrap.
 */
export const BUSY = [4, 10, 16, 18, 16, 12, 8, 5, 3];
export const QUIET = [30, 40, 20, 10];
/** More than any swap sends along, plus fees. */
const LOW_ETHER = 40n * 10n ** 18n;
const REFILLED_ETHER = 250n * 10n ** 18n;
/** Most ether that one swap sends along. */
const MAX_ETHER_IN = 20n * 10n ** 18n;
/** No swap moves a pool by much: this part of a side at most. */
const MOST_OF_DEPTH = 150n;
/** A wallet with so many positions adds to one of them: the chain's state must not grow with its age. */
const MOST_POSITIONS = 3;

export class Traders {
  private readonly priceModel: TraderPriceModel;
  private readonly tokenOf: Map<string, ChainToken>;

  /** The tokens and pools are those that they trade: none whose transfers may be refused. */
  constructor(
    private readonly rpc: AnvilRpc,
    private readonly sites: ExchangeSites,
    private readonly tokens: readonly ChainToken[],
    private readonly pools: readonly ChainPool[],
    private readonly wallets: readonly string[],
    private readonly random: SeededRandom,
    /** Transactions of a block by chance: the weight of none, one, two… */
    private readonly activity: readonly number[] = BUSY,
  ) {
    this.priceModel = new TraderPriceModel(tokens, random);
    this.tokenOf = new Map(tokens.map((token) => [token.address, token]));
  }

  /** The price that the traders take to be fair: USD of one whole token. It follows the time of each plan. */
  usd(token: string): number {
    return this.priceModel.usd(token);
  }

  /** Transactions of the next block. */
  async plan(timestamp: number): Promise<Outgoing[]> {
    const count = this.random.weighted(this.activity);
    const wallets = this.random.shuffle([...this.wallets]).slice(0, count);
    const view = await readMarket(this.rpc, this.pools, this.tokens, wallets);
    await this.refill(view);
    this.priceModel.advance(view.pools, timestamp);
    const actions: Action[] = [];
    for (const wallet of wallets) {
      const action = await this.choose(view, wallet);
      if (action) actions.push(action);
    }
    return withApprovals(this.rpc, actions);
  }

  /** Wallets that ran low on ether get some, as from an exchange, so that no wallet has to stop trading. */
  private async refill(view: MarketView): Promise<void> {
    const poor = [...view.ether].filter(([, held]) => held < LOW_ETHER).map(([wallet]) => wallet);
    await this.rpc.batch(
      poor.map((wallet) => ({ method: 'anvil_setBalance', params: [wallet, quantityText(REFILLED_ETHER)] })),
    );
  }

  private async choose(view: MarketView, wallet: string): Promise<Action | null> {
    switch (this.random.weighted([78, 4, 2.5, 4, 3, 6, 2.5])) {
      case 1:
        return this.addShares(view, wallet);
      case 2:
        return this.removeShares(wallet);
      case 3:
        return this.openPosition(view, wallet);
      case 4:
        return this.closePosition(wallet);
      case 5:
        return this.transfer(view, wallet);
      case 6:
        return this.wrap(view, wallet);
      default:
        return this.swap(view, wallet);
    }
  }

  private token(address: string): ChainToken {
    return this.tokenOf.get(address) as ChainToken;
  }

  private pickPool(view: MarketView): PoolView {
    return view.pools[this.random.weighted(view.pools.map(({ pool }) => pool.weight))] as PoolView;
  }

  private swap(view: MarketView, wallet: string): Action | null {
    const target = this.pickPool(view);
    const { pool } = target;
    const [token0, token1] = [this.token(pool.token0), this.token(pool.token1)];
    const fair = this.priceModel.fairPrice(pool.token0, pool.token1);
    const gap = target.price / fair - 1;
    const band = pool.fee / 1e6;
    const towards = Math.abs(gap) > band ? this.random.chance(0.8) : this.random.chance(0.5);
    const zeroForOne = gap > 0 === towards;
    const tokenIn = zeroForOne ? token0 : token1;
    const depth = zeroForOne ? target.depth0 : target.depth1;
    const wanted = unitsOf(
      { decimals: tokenIn.decimals, usd: this.priceModel.usd(tokenIn.address) },
      15 * 1000 ** this.random.next(),
    );
    const closing = (depth * BigInt(Math.round(Math.min(0.05, Math.abs(gap)) * 1e6))) / 3_000_000n;
    const most = depth / MOST_OF_DEPTH;
    let amountIn = towards && Math.abs(gap) > 3 * band && closing > wanted ? closing : wanted;
    if (amountIn > most) amountIn = most;
    const held = view.balances.get(`${wallet} ${tokenIn.address}`) ?? 0n;
    const payEther = tokenIn.address === this.sites.wrapped && (held < amountIn || this.random.chance(0.4));
    if (!payEther && held < amountIn) amountIn = (held * 7n) / 10n;
    if (payEther && amountIn > MAX_ETHER_IN) amountIn = MAX_ETHER_IN;
    if (amountIn <= 0n) return null;
    return this.route(view, wallet, target, zeroForOne, amountIn, payEther);
  }

  /** Chooses router, path and recipient. */
  private route(
    view: MarketView,
    wallet: string,
    first: PoolView,
    zeroForOne: boolean,
    amountIn: bigint,
    payEther: boolean,
  ): Action {
    const { pool } = first;
    const [tokenIn, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0];
    const recipient = this.random.chance(0.08) ? this.random.pick(this.wallets) : wallet;
    // Now and then a swap asks for more than there is, and the transaction reverts.
    const amountOutMin = this.random.chance(0.012) ? MAX_UINT128 : 0n;
    const onward = view.pools.filter(
      ({ pool: next }) =>
        next.version === pool.version &&
        next.address !== pool.address &&
        (next.token0 === tokenOut || next.token1 === tokenOut) &&
        next.token0 !== tokenIn &&
        next.token1 !== tokenIn,
    );
    const second = onward.length > 0 && this.random.chance(0.15) ? this.random.pick(onward).pool : null;
    const last = second ? (second.token0 === tokenOut ? second.token1 : second.token0) : tokenOut;
    const path = (second ? [tokenIn, tokenOut, last] : [tokenIn, tokenOut]) as Hex[];
    const order: LocalSwapOrder = {
      pools: second ? [pool, second] : [pool],
      path,
      amountIn,
      amountOutMin,
      recipient: recipient as Hex,
      payEther,
      takeEther: this.random.chance(0.65),
      taxed: path.some((address) => this.token(address).taxed),
    };
    const { router, data } = this.routerCall(pool.version, order);
    return this.action(wallet, router, data, payEther ? [] : [[tokenIn, router]], payEther ? { value: amountIn } : {});
  }

  private routerCall(version: ChainPool['version'], order: LocalSwapOrder): RouterCall {
    if (version === 'v3') return v3RouterCall(this.sites, order);
    const either = !order.payEther && !order.taxed;
    return either && this.random.chance(0.25) ? v2SwapRouter02Call(this.sites, order) : v2RouterCall(this.sites, order);
  }

  private action(
    from: string,
    to: string,
    data: Hex,
    approvals: [string, string][],
    extra: { value?: bigint } = {},
  ): Action {
    return { from, transactions: [{ from, to, data, ...extra }], approvals };
  }

  /** What the wallet can put on both sides at the pool's price, at most `limit` of each side's depth. */
  private bothSides(view: MarketView, wallet: string, target: PoolView): [bigint, bigint] | null {
    const { pool, price } = target;
    const held0 = (view.balances.get(`${wallet} ${pool.token0}`) ?? 0n) / 3n;
    const held1 = (view.balances.get(`${wallet} ${pool.token1}`) ?? 0n) / 3n;
    const worth = BigInt(Math.floor(Math.min(Number(held1), Number(held0) * price)));
    const amount0 = BigInt(Math.floor(Number(worth) / price));
    return amount0 > 0n && worth > 0n ? [amount0, worth] : null;
  }

  private addShares(view: MarketView, wallet: string): Action | null {
    const target = this.random.pick(view.pools.filter(({ pool }) => pool.version === 'v2'));
    const amounts = this.bothSides(view, wallet, target);
    const { token0, token1 } = target.pool;
    if (!amounts || this.token(token0).taxed || this.token(token1).taxed) return null;
    const data = encodeFunctionData({
      abi: V2_ROUTER_ABI,
      functionName: 'addLiquidity',
      args: [token0 as Hex, token1 as Hex, ...amounts, 0n, 0n, wallet as Hex, NO_DEADLINE],
    });
    return this.action(wallet, this.sites.v2Router, data, [
      [token0, this.sites.v2Router],
      [token1, this.sites.v2Router],
    ]);
  }

  private async removeShares(wallet: string): Promise<Action | null> {
    const pairs = this.pools.filter(({ version }) => version === 'v2');
    const balanceOf = encodeFunctionData({ abi: ERC20_ABI, functionName: 'balanceOf', args: [wallet as Hex] });
    const held = await this.rpc.view(pairs.map(({ address }) => ({ to: address, data: balanceOf })));
    const owned = pairs
      .map((pair, i) => ({ pair, shares: BigInt(held[i] ?? '0x0') }))
      .filter(({ shares }) => shares > 1000n);
    if (owned.length === 0) return null;
    const { pair, shares } = this.random.pick(owned);
    const part = (shares * BigInt(this.random.between(20, 100))) / 100n;
    const data = encodeFunctionData({
      abi: V2_ROUTER_ABI,
      functionName: 'removeLiquidity',
      args: [pair.token0 as Hex, pair.token1 as Hex, part, 0n, 0n, wallet as Hex, NO_DEADLINE],
    });
    return this.action(wallet, this.sites.v2Router, data, [[pair.address, this.sites.v2Router]]);
  }

  private async openPosition(view: MarketView, wallet: string): Promise<Action | null> {
    const owned = await this.positionsOf(wallet);
    if (owned >= MOST_POSITIONS) return this.addToPosition(view, wallet, owned);
    const target = this.random.pick(view.pools.filter(({ pool }) => pool.version === 'v3'));
    const amounts = this.bothSides(view, wallet, target);
    if (!amounts) return null;
    const { token0, token1, fee, tickSpacing } = target.pool;
    const width = tickSpacing * this.random.between(2, 120);
    const { lower, upper } = tickRange(target.tick, width, tickSpacing);
    const data = encodeFunctionData({
      abi: POSITION_MANAGER_ABI,
      functionName: 'mint',
      args: [
        {
          token0: token0 as Hex,
          token1: token1 as Hex,
          fee,
          tickLower: lower,
          tickUpper: upper,
          amount0Desired: amounts[0],
          amount1Desired: amounts[1],
          amount0Min: 0n,
          amount1Min: 0n,
          recipient: wallet as Hex,
          deadline: NO_DEADLINE,
        },
      ],
    });
    return this.action(wallet, this.sites.positionManager, data, [
      [token0, this.sites.positionManager],
      [token1, this.sites.positionManager],
    ]);
  }

  private async addToPosition(view: MarketView, wallet: string, owned: number): Promise<Action | null> {
    const { tokenId, token0, token1, fee } = await this.pickPosition(wallet, owned);
    const target = view.pools.find(({ pool }) => pool.token0 === token0 && pool.token1 === token1 && pool.fee === fee);
    const amounts = target && this.bothSides(view, wallet, target);
    if (!amounts) return null;
    const to = this.sites.positionManager;
    const data = encodeFunctionData({
      abi: POSITION_MANAGER_ABI,
      functionName: 'increaseLiquidity',
      args: [
        {
          ...{ tokenId, amount0Desired: amounts[0], amount1Desired: amounts[1] },
          ...{ amount0Min: 0n, amount1Min: 0n, deadline: NO_DEADLINE },
        },
      ],
    });
    return this.action(wallet, to, data, [
      [token0, to],
      [token1, to],
    ]);
  }

  private async positionsOf(wallet: string): Promise<number> {
    const abi = POSITION_MANAGER_ABI;
    const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [wallet as Hex] });
    const [count] = await this.rpc.view([{ to: this.sites.positionManager, data }]);
    return Number(count ?? '0x0');
  }

  /** One of the wallet's positions. */
  private async pickPosition(wallet: string, owned: number) {
    const to = this.sites.positionManager;
    const abi = POSITION_MANAGER_ABI;
    const args = [wallet as Hex, BigInt(this.random.int(owned))] as const;
    const [idWord] = await this.rpc.view([
      { to, data: encodeFunctionData({ abi, functionName: 'tokenOfOwnerByIndex', args }) },
    ]);
    const tokenId = BigInt(idWord as Hex);
    const [raw] = await this.rpc.view([
      { to, data: encodeFunctionData({ abi, functionName: 'positions', args: [tokenId] }) },
    ]);
    const words = decodeAbiParameters(Array(12).fill({ type: 'uint256' }), raw as Hex) as bigint[];
    const address = (word: bigint): string => `0x${word.toString(16).padStart(40, '0')}`;
    const [token0, token1] = [address(words[2]!), address(words[3]!)];
    return { tokenId, token0, token1, fee: Number(words[4]), liquidity: words[7]! };
  }

  /** Takes liquidity out and collects, or only collects the fees. */
  private async closePosition(wallet: string): Promise<Action | null> {
    const to = this.sites.positionManager;
    const owner = wallet as Hex;
    const abi = POSITION_MANAGER_ABI;
    const owned = await this.positionsOf(wallet);
    if (owned === 0) return null;
    const { tokenId, liquidity } = await this.pickPosition(wallet, owned);
    const collect = encodeFunctionData({
      abi,
      functionName: 'collect',
      args: [{ tokenId, recipient: owner, amount0Max: MAX_UINT128, amount1Max: MAX_UINT128 }],
    });
    // A collection from an empty position has nothing to poke and would revert.
    if (liquidity === 0n) return null;
    if (this.random.chance(0.3)) return this.action(wallet, to, collect, []);
    const part = (liquidity * BigInt(this.random.between(25, 100))) / 100n;
    const decrease = encodeFunctionData({
      abi,
      functionName: 'decreaseLiquidity',
      args: [{ tokenId, liquidity: part, amount0Min: 0n, amount1Min: 0n, deadline: NO_DEADLINE }],
    });
    const data = encodeFunctionData({ abi, functionName: 'multicall', args: [[decrease, collect]] });
    return this.action(wallet, to, data, []);
  }

  private transfer(view: MarketView, wallet: string): Action | null {
    const token = this.random.pick(this.tokens);
    const held = view.balances.get(`${wallet} ${token.address}`) ?? 0n;
    const amount = this.random.fraction(held, 0.01, 0.4);
    if (amount === 0n) return null;
    const to = this.random.pick(this.wallets);
    const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'transfer', args: [to as Hex, amount] });
    return this.action(wallet, token.address, data, []);
  }

  private wrap(view: MarketView, wallet: string): Action | null {
    const held = view.balances.get(`${wallet} ${this.sites.wrapped}`) ?? 0n;
    const amount = this.random.fraction(10n ** 18n, 0.05, 3);
    if (held > amount && this.random.chance(0.5)) {
      const data = encodeFunctionData({ abi: WETH_ABI, functionName: 'withdraw', args: [amount] });
      return this.action(wallet, this.sites.wrapped, data, []);
    }
    const data = encodeFunctionData({ abi: WETH_ABI, functionName: 'deposit' });
    return this.action(wallet, this.sites.wrapped, data, [], { value: amount });
  }
}
