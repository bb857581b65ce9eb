import { keccakText } from '#libs/devkit/chain-builder/keccak-hex.js';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import type { AnvilRpc } from './anvil-rpc.js';
import { Arbitrageur } from './arbitrageur.js';
import type { ChainRecord } from './chain-files.js';
import { LaunchpadTraders } from './launchpad/traders.js';
import type { MarketPlan } from './market-plan.js';
import { RugPulls } from './rug-pulls.js';
import { BUSY, QUIET, Traders } from './traders.js';
import type { Outgoing } from './transaction-sender.js';
import { UniswapV4Traders } from './uniswap-v4/traders.js';

/** Everybody who acts on a local chain, and the order of what they do in a block. */
const WALLETS = 48;
const SNIPERS = 5;
/** Tells the V4 traders' random sequence from that of the others. */
const V4_SEED = 0x7634;
/** The same of the launchpad's. */
const LAUNCHPAD_SEED = 0x6c70;

const named = (name: string, count: number, seed: number): string[] =>
  Array.from({ length: count }, (_, i) => `0x${keccakText(`${name} ${seed} ${i}`).slice(24)}`);

export const walletsOf = (seed: number): string[] => named('trader', WALLETS, seed);
const snipersOf = (seed: number): string[] => named('sniper', SNIPERS, seed);

export interface LifeOptions {
  rpc: AnvilRpc;
  market: MarketPlan;
  chain: ChainRecord;
  deployer: string;
  random: SeededRandom;
  quiet: boolean;
  launches: boolean;
}

export class MarketLife {
  private readonly traders: Traders;
  private readonly arbitrageur: Arbitrageur;
  private readonly v4Traders: UniswapV4Traders | null = null;
  private readonly launchpadTraders: LaunchpadTraders | null = null;
  private readonly rugPulls: RugPulls | null = null;

  constructor({ rpc, market, chain, deployer, random, quiet, launches }: LifeOptions) {
    const { seed } = chain;
    const wallets = walletsOf(seed);
    const tokens = chain.tokens.filter(({ gated }) => gated !== true);
    const pools = chain.pools.filter(({ weight }) => weight > 0);
    const { exchange, v4 } = market;
    const usd = (token: string) => this.traders.usd(token);
    const v4Market = v4 && chain.v4Pools?.length ? { poolManager: v4.poolManager, pools: chain.v4Pools } : null;
    this.traders = new Traders(rpc, exchange, tokens, pools, wallets, random, quiet ? QUIET : BUSY);
    const [wallet] = named('arbitrageur', 1, seed) as [string];
    this.arbitrageur = new Arbitrageur({ rpc, sites: exchange, tokens, pools, v4: v4Market, wallet, deployer, usd });
    const { wrapped, v2Router } = exchange;
    const snipers = snipersOf(seed);
    if (launches) {
      const own = new SeededRandom(random.seed + LAUNCHPAD_SEED);
      this.launchpadTraders = new LaunchpadTraders({ rpc, wrapped, v2Router, wallets, snipers, random: own, quiet });
      this.rugPulls = new RugPulls({ rpc, sites: exchange, wallets, snipers, seed });
    }
    if (v4Market === null) return;
    this.v4Traders = new UniswapV4Traders({
      ...{ rpc, ...v4Market, tokens, wallets, wrapped, usd, quiet },
      random: new SeededRandom(random.seed + V4_SEED),
    });
  }

  /** Transactions of the next block: who closes the gaps of the block before comes first. */
  async plan(timestamp: number, height: number): Promise<Outgoing[]> {
    const planned = await this.traders.plan(timestamp);
    const closing = await this.arbitrageur.plan();
    const onV4 = (await this.v4Traders?.plan()) ?? [];
    const onLaunchpad = (await this.launchpadTraders?.plan()) ?? [];
    const rugs = (await this.rugPulls?.plan(height)) ?? [];
    return [...closing, ...planned, ...onV4, ...onLaunchpad, ...rugs];
  }
}
