import { decodeAbiParameters, encodeFunctionData, type Hex } from 'viem';
import { squareRoot } from '#libs/chain/amm/square-root.js';
import { MAX_TICK, tickAtSqrtRatio } from '#libs/chain/amm/tick-math.js';
import type { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { quantityText } from '#libs/devkit/chain-builder/rpc-shapes.js';
import { createAddress } from '#libs/devkit/chain-builder/traffic.js';
import { metadataUri } from '../token-picture.js';
import type { AnvilRpc } from './anvil-rpc.js';
import { compiled, initCodeOf, uniswapDeployments } from './genuine-contracts.js';
import { launchpadDeployment } from './launchpad/contracts.js';
import type { ChainPool, ChainToken, MarketPlan, PlannedPool, PlannedToken } from './market-plan.js';
import { pancakeswapDeployments, pancakeswapIntroduction } from './pancakeswap-contracts.js';
import {
  DESCRIBE_ABI,
  ERC20_ABI,
  MAX_UINT256,
  NO_DEADLINE,
  POSITION_MANAGER_ABI,
  V2_FACTORY_ABI,
  V2_ROUTER_ABI,
  V3_FACTORY_ABI,
  WETH_ABI,
} from './periphery-abi.js';
import { tickRange } from './tick-range.js';
import { unitsOf } from './token-units.js';
import { mineBlock, type Outgoing, requireSuccess } from './transaction-sender.js';
import type { ChainV4Pool } from './uniswap-v4/chain-pool.js';
import { uniswapV4Deployments } from './uniswap-v4/contracts.js';
import { setUpV4 } from './uniswap-v4/pools.js';

/**
 * Puts the genuine contracts at their official addresses, creates tokens and pools through the genuine factories and
 * routers, and gives the wallets something to trade with.
 */
export interface SetUpMarket {
  tokens: ChainToken[];
  pools: ChainPool[];
  v4Pools: ChainV4Pool[];
  /** Time of the last block. */
  timestamp: number;
}

const PER_BLOCK = 12;
const SUPPLY_USD = 2_000_000_000;
const COIN = 10n ** 18n;

export async function setUpMarket(
  rpc: AnvilRpc,
  market: MarketPlan,
  options: { deployer: string; wallets: readonly string[]; random: SeededRandom; timestamp: number; spacing: number },
): Promise<SetUpMarket> {
  const setup = new Setup(rpc, market, options.deployer, options.timestamp, options.spacing);
  await rpc.batch([
    { method: 'anvil_autoImpersonateAccount', params: [true] },
    { method: 'anvil_setBalance', params: [options.deployer, quantityText(COIN * 10_000_000n)] },
    ...options.wallets.map((wallet) => ({ method: 'anvil_setBalance', params: [wallet, quantityText(COIN * 250n)] })),
  ]);
  await setup.placeContracts();
  const tokens = await setup.createTokens();
  const pools = await setup.createPools(tokens);
  const v4Pools = await setup.createV4Pools(tokens);
  await setup.fundWallets(tokens, options.wallets, options.random);
  return { tokens, pools, v4Pools, timestamp: setup.timestamp };
}

class Setup {
  private readonly nonces: Map<string, number>;

  constructor(
    private readonly rpc: AnvilRpc,
    private readonly market: MarketPlan,
    private readonly deployer: string,
    public timestamp: number,
    private readonly spacing: number,
  ) {
    this.nonces = new Map([[deployer, 0]]);
  }

  /** Runs init code at the very address: as its code, by a transaction, then leaves what it returned. */
  private async place(items: { address: string; initCode: Hex }[]): Promise<void> {
    await this.rpc.batch(
      items.map(({ address, initCode }) => ({ method: 'anvil_setCode', params: [address, initCode] })),
    );
    await this.mine(items.map(({ address }) => ({ from: this.deployer, to: address, gas: 15_000_000 })));
    const runtimes = (await this.rpc.batch(
      items.map(({ address }) => ({
        method: 'eth_call',
        params: [{ from: this.deployer, to: address, gas: quantityText(30_000_000) }, 'latest'],
      })),
    )) as Hex[];
    await this.rpc.batch(
      items.map(({ address }, i) => ({ method: 'anvil_setCode', params: [address, runtimes[i] as Hex] })),
    );
  }

  async placeContracts(): Promise<void> {
    const { exchange } = this.market;
    const launchpad = launchpadDeployment(exchange, this.deployer);
    if (exchange.family === 'pancakeswap') {
      await this.place([...pancakeswapDeployments(exchange, this.deployer), launchpad]);
      await this.mine([pancakeswapIntroduction(exchange, this.deployer)]);
      return;
    }
    const { v4 } = this.market;
    const v4Deployments = v4 ? uniswapV4Deployments(v4, this.deployer) : [];
    await this.place([...uniswapDeployments(exchange, this.deployer), ...v4Deployments, launchpad]);
    const data = encodeFunctionData({ abi: V3_FACTORY_ABI, functionName: 'enableFeeAmount', args: [100, 1] });
    await this.mine([{ from: this.deployer, to: exchange.v3Factory, data }]);
  }

  async createTokens(): Promise<ChainToken[]> {
    const initCode = (plan: PlannedToken): Hex => {
      const artifact = compiled(plan.contract as Exclude<PlannedToken['contract'], 'WrappedCoin'>);
      const supply = unitsOf(plan, SUPPLY_USD);
      return initCodeOf(artifact, plan.name, plan.symbol, plan.decimals, supply, this.deployer);
    };
    const planned = this.market.tokens;
    const fixed = planned.filter(({ contract, address }) => contract !== 'WrappedCoin' && address !== undefined);
    await this.place(fixed.map((plan) => ({ address: plan.address as string, initCode: initCode(plan) })));
    const created: Outgoing[] = [];
    const addresses = new Map<string, string>();
    let nonce = this.nonces.get(this.deployer) ?? 0;
    for (const plan of planned) {
      addresses.set(plan.symbol, plan.address ?? createAddress(this.deployer, nonce));
      if (plan.address !== undefined) continue;
      created.push({ from: this.deployer, data: initCode(plan), gas: 4_000_000 });
      nonce++;
    }
    await this.mine(created);
    await this.mine(
      planned
        .filter(({ contract }) => contract !== 'WrappedCoin')
        .map(({ symbol, name }) => ({
          ...{ from: this.deployer, to: addresses.get(symbol) as string },
          data: encodeFunctionData({
            abi: DESCRIBE_ABI,
            functionName: 'describe',
            args: [metadataUri(symbol, `${name} of a local chain`)],
          }),
        })),
    );
    const deposit = encodeFunctionData({ abi: WETH_ABI, functionName: 'deposit' });
    await this.mine([
      { from: this.deployer, to: this.market.exchange.wrapped, data: deposit, value: COIN * 1_000_000n },
    ]);
    return planned.map((plan) => ({
      address: addresses.get(plan.symbol) as string,
      symbol: plan.symbol,
      name: plan.name,
      decimals: plan.decimals,
      usd: plan.usd,
      taxed: plan.contract === 'TaxedToken',
      gated: plan.contract === 'GatedToken',
      volatility: plan.volatility,
    }));
  }

  async createPools(tokens: readonly ChainToken[]): Promise<ChainPool[]> {
    const { exchange, pools } = this.market;
    const spenders = [exchange.v2Router, exchange.positionManager] as Hex[];
    await this.mine(
      tokens.flatMap(({ address }) =>
        spenders.map((spender) => ({
          from: this.deployer,
          to: address,
          data: encodeFunctionData({ abi: ERC20_ABI, functionName: 'approve', args: [spender, MAX_UINT256] }),
        })),
      ),
    );
    const bySymbol = new Map(tokens.map((token) => [token.symbol, token]));
    const sides = (plan: PlannedPool) => {
      const [a, b] = plan.pair.map((symbol) => bySymbol.get(symbol) as ChainToken) as [ChainToken, ChainToken];
      return BigInt(a.address) < BigInt(b.address) ? ([a, b] as const) : ([b, a] as const);
    };
    for (const plan of pools) {
      const [low, high] = sides(plan);
      await this.mine(
        plan.version === 'v2' ? [this.pairCreation(plan, low, high)] : this.poolCreation(plan, low, high),
      );
    }
    const found = await this.rpc.view(
      pools.map((plan) => {
        const [low, high] = sides(plan).map(({ address }) => address as Hex) as [Hex, Hex];
        return plan.version === 'v2'
          ? {
              to: exchange.v2Factory,
              data: encodeFunctionData({ abi: V2_FACTORY_ABI, functionName: 'getPair', args: [low, high] }),
            }
          : {
              to: exchange.v3Factory,
              data: encodeFunctionData({ abi: V3_FACTORY_ABI, functionName: 'getPool', args: [low, high, plan.fee] }),
            };
      }),
    );
    return pools.map((plan, i) => {
      const [low, high] = sides(plan);
      const [address] = decodeAbiParameters([{ type: 'address' }], found[i] as Hex);
      return {
        address: address.toLowerCase(),
        version: plan.version,
        token0: low.address,
        token1: high.address,
        fee: plan.fee,
        tickSpacing: plan.version === 'v3' ? (exchange.tickSpacings[plan.fee] as number) : 0,
        weight: plan.weight,
      };
    });
  }

  /** None where the plan has none. */
  async createV4Pools(tokens: readonly ChainToken[]): Promise<ChainV4Pool[]> {
    const { v4, exchange } = this.market;
    if (v4 === undefined) return [];
    const coin = tokens.find(({ address }) => address === exchange.wrapped) as ChainToken;
    const { pools, approvals, creations } = setUpV4(v4, tokens, coin, this.deployer);
    await this.mine(approvals);
    await this.mine(creations, creations.length);
    return pools;
  }

  private pairCreation(plan: PlannedPool, low: ChainToken, high: ChainToken): Outgoing {
    const [amount0, amount1] = [unitsOf(low, plan.depthUsd), unitsOf(high, plan.depthUsd)];
    const data = encodeFunctionData({
      abi: V2_ROUTER_ABI,
      functionName: 'addLiquidity',
      args: [low.address as Hex, high.address as Hex, amount0, amount1, 0n, 0n, this.deployer as Hex, NO_DEADLINE],
    });
    return { from: this.deployer, to: this.market.exchange.v2Router, data, gas: 5_000_000 };
  }

  private poolCreation(plan: PlannedPool, low: ChainToken, high: ChainToken): Outgoing[] {
    const [amount0, amount1] = [unitsOf(low, plan.depthUsd), unitsOf(high, plan.depthUsd)];
    const sqrtPriceX96 = squareRoot((amount1 << 192n) / amount0);
    const spacing = this.market.exchange.tickSpacings[plan.fee] as number;
    const tick = tickAtSqrtRatio(sqrtPriceX96);
    const create = encodeFunctionData({
      abi: POSITION_MANAGER_ABI,
      functionName: 'createAndInitializePoolIfNecessary',
      args: [low.address as Hex, high.address as Hex, plan.fee, sqrtPriceX96],
    });
    const stable = plan.fee === 100;
    const widths = stable ? [MAX_TICK, 400, 20] : [MAX_TICK, 6_000, 1_500];
    const mints = widths.map((width, i) => {
      const { lower, upper } = tickRange(tick, width, spacing);
      const share = [3n, 4n, 3n][i] as bigint;
      return encodeFunctionData({
        abi: POSITION_MANAGER_ABI,
        functionName: 'mint',
        args: [
          {
            token0: low.address as Hex,
            token1: high.address as Hex,
            fee: plan.fee,
            tickLower: lower,
            tickUpper: upper,
            amount0Desired: (amount0 * share) / 10n,
            amount1Desired: (amount1 * share) / 10n,
            amount0Min: 0n,
            amount1Min: 0n,
            recipient: this.deployer as Hex,
            deadline: NO_DEADLINE,
          },
        ],
      });
    });
    const to = this.market.exchange.positionManager;
    return [
      { from: this.deployer, to, data: create, gas: 8_000_000 },
      ...mints.map((data) => ({ from: this.deployer, to, data, gas: 1_500_000 })),
    ];
  }

  /** Two of three wallets get some of each token. */
  async fundWallets(tokens: readonly ChainToken[], wallets: readonly string[], random: SeededRandom): Promise<void> {
    const transfers: Outgoing[] = [];
    for (const wallet of wallets) {
      for (const token of tokens) {
        if (token.gated || !random.chance(2 / 3)) continue;
        const amount = unitsOf(token, 2_000 * 40 ** random.next());
        const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'transfer', args: [wallet as Hex, amount] });
        transfers.push({ from: this.deployer, to: token.address, data, gas: 150_000 });
      }
    }
    await this.mine(transfers, 120);
  }

  private async mine(transactions: readonly Outgoing[], perBlock = PER_BLOCK): Promise<void> {
    for (let i = 0; i < transactions.length; i += perBlock) {
      this.timestamp += this.spacing;
      const hashes = await mineBlock(this.rpc, this.timestamp, transactions.slice(i, i + perBlock), this.nonces);
      await requireSuccess(this.rpc, hashes);
    }
  }
}
