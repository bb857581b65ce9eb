import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import type { ChainSpec, VenueSpec } from '#libs/chain/market-ports/chain-spec.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { type ChainPool, type LocalChain, type LocalSlug, startLocalChain } from '../local-chain.js';
import type { ExchangeSites, MarketPlan, PlannedToken } from '../market-plan.js';
import { MARKETS } from '../markets/all.js';
import { ERC20_ABI, MAX_UINT256, PAIR_ABI } from '../periphery-abi.js';
import type { LocalSwapOrder } from '../swap-orders.js';
import { LocalWallet } from './local-wallet.js';

/** Every chain that can be run locally. */
export const SLUGS = Object.keys(MARKETS) as readonly LocalSlug[];
export const COIN = 10n ** 18n;

/** A local chain, its specification and its plan, with a wallet of its own that holds something of every token. */
export class LocalWorld {
  readonly spec: ChainSpec;
  readonly market: MarketPlan;
  readonly sites: ExchangeSites;
  readonly v2Venue: VenueSpec;
  readonly v3Venue: VenueSpec;
  readonly wallet: LocalWallet;

  private constructor(
    readonly dataDir: string,
    public chain: LocalChain,
  ) {
    this.spec = chainSpec(chain.slug) as ChainSpec;
    this.market = MARKETS[chain.slug];
    this.sites = this.market.exchange;
    const venue = (protocol: string) => this.spec.venues.find((candidate) => candidate.protocol === protocol);
    this.v2Venue = venue('v2') as VenueSpec;
    this.v3Venue = venue('v3') as VenueSpec;
    this.wallet = new LocalWallet(chain, chain.slug);
  }

  static async start(chain: LocalSlug, seed: number, historyBlocks: number): Promise<LocalWorld> {
    const dataDir = await mkdtemp(join(tmpdir(), 'tidepool-devnet-'));
    const local = await startLocalChain({ chain, dataDir, seed, historyBlocks, autoMine: false });
    const world = new LocalWorld(dataDir, local);
    const tokens = local.tokens.map(({ address, decimals, usd }) => ({
      token: address,
      amount: (BigInt(Math.round((5_000 / usd) * 1e6)) * 10n ** BigInt(decimals)) / 1_000_000n,
    }));
    await local.fund(world.wallet.address, { eth: 100n * COIN, tokens });
    return world;
  }

  async close(): Promise<void> {
    await this.chain.stop();
    await removeFolder(this.dataDir);
  }

  /** The wrapped coin. */
  get coin(): Hex {
    return this.sites.wrapped as Hex;
  }

  /** The specification's first dollar. */
  get stable(): Hex {
    return `0x${this.spec.stables[0]?.token}`;
  }

  /** A token by the kind of its contract. */
  planned(contract: PlannedToken['contract']): Hex {
    const symbol = this.market.tokens.find((candidate) => candidate.contract === contract)?.symbol;
    return this.chain.tokens.find((candidate) => candidate.symbol === symbol)?.address as Hex;
  }

  poolOf(version: 'v2' | 'v3', a: string, b: string): ChainPool {
    const between = ({ token0, token1 }: ChainPool) => [token0, token1].includes(a) && [token0, token1].includes(b);
    return this.chain.pools.find((pool) => pool.version === version && between(pool)) as ChainPool;
  }

  call(to: string, data: Hex): Promise<Hex> {
    return this.chain.rpc.call<Hex>('eth_call', [{ from: this.wallet.address, to, data }, 'latest']);
  }

  /** The one word that a getter without arguments answers. */
  async read(getter: string, to: string): Promise<bigint> {
    const abi = parseAbi([`function ${getter}() view returns (uint256)`]);
    return BigInt(await this.call(to, encodeFunctionData({ abi, functionName: getter } as never)));
  }

  async balance(token: string, owner: string = this.wallet.address): Promise<bigint> {
    const args = [owner as Hex] as const;
    return BigInt(await this.call(token, encodeFunctionData({ abi: ERC20_ABI, functionName: 'balanceOf', args })));
  }

  /** Of a pair, the side of the input first. */
  async reserves(pool: ChainPool, tokenIn: string): Promise<[bigint, bigint]> {
    const raw = await this.call(pool.address, encodeFunctionData({ abi: PAIR_ABI, functionName: 'getReserves' }));
    const [reserve0, reserve1] = [BigInt(raw.slice(0, 66)), BigInt(`0x${raw.slice(66, 130)}`)];
    return tokenIn === pool.token0 ? [reserve0, reserve1] : [reserve1, reserve0];
  }

  order(pool: ChainPool, path: Hex[], amountIn: bigint, more: Partial<LocalSwapOrder> = {}): LocalSwapOrder {
    return {
      ...{ pools: [pool], path, amountIn, amountOutMin: 0n, recipient: this.wallet.address },
      ...{ payEther: false, takeEther: false, taxed: false, ...more },
    };
  }
}

export const approve = (spender: string, amount = MAX_UINT256): Hex =>
  encodeFunctionData({ abi: ERC20_ABI, functionName: 'approve', args: [spender as Hex, amount] });

export const transfer = (to: string, amount: bigint): Hex =>
  encodeFunctionData({ abi: ERC20_ABI, functionName: 'transfer', args: [to as Hex, amount] });
