import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import { keccakText } from '#libs/devkit/chain-builder/keccak-hex.js';
import { quantityText } from '#libs/devkit/chain-builder/rpc-shapes.js';
import { createAddress } from '#libs/devkit/chain-builder/traffic.js';
import { metadataUri } from '../token-picture.js';
import type { AnvilRpc } from './anvil-rpc.js';
import { withApprovals } from './approvals.js';
import { compiled, initCodeOf } from './genuine-contracts.js';
import type { ExchangeSites } from './market-plan.js';
import { DESCRIBE_ABI, ERC20_ABI, MAX_UINT256, NO_DEADLINE, V2_FACTORY_ABI, V2_ROUTER_ABI } from './periphery-abi.js';
import type { Outgoing } from './transaction-sender.js';

/**
 * Creators who bring out a token, give it liquidity and take it away again. One at a time, each a wallet of its own: snipers
 * buy in the block of the liquidity, others follow, then nothing is left of the pool. Invariant: what happens follows from
 * the height; where an earlier step is not on the chain the later ones do nothing, so that a fork needs no memory.
 */
const EVERY_BLOCKS = 420;
/** Blocks behind the first of a round at which each step happens. */
const STEPS = { create: 150, open: 153, bought: 157, sold: 300, pull: 330 };
/** Rounds of a chain: its state must not grow with its age. */
const MOST_ROUNDS = 12;
const SUPPLY = 10n ** 27n;
const COIN = 10n ** 18n;
const GIVEN = 60n * COIN;
const LIQUIDITY = 12n * COIN;
const SNIPED = [COIN / 2n, COIN / 3n, COIN / 4n];
/** Buys of others: one in so many blocks. */
const BUY_EVERY = 3;
const NAMES = ['Moon Gull', 'Safe Harbor', 'Golden Crab', 'Tide Inu', 'Pearl Rush', 'Rocket Eel'];

const LIQUIDITY_ABI = parseAbi([
  'function addLiquidityETH(address token, uint256 amountTokenDesired, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline) payable returns (uint256, uint256, uint256)',
  'function removeLiquidityETHSupportingFeeOnTransferTokens(address token, uint256 liquidity, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline) returns (uint256)',
]);

export interface RugMarket {
  rpc: AnvilRpc;
  sites: ExchangeSites;
  wallets: readonly string[];
  snipers: readonly string[];
  seed: number;
}

export class RugPulls {
  constructor(private readonly market: RugMarket) {}

  /** Transactions of the block at this height. */
  async plan(height: number): Promise<Outgoing[]> {
    const round = Math.floor(height / EVERY_BLOCKS);
    const at = height % EVERY_BLOCKS;
    if (round >= MOST_ROUNDS) return [];
    const creator = `0x${keccakText(`rug ${this.market.seed} ${round}`).slice(24)}`;
    const token = createAddress(creator, 0) as Hex;
    if (at === STEPS.create) return this.create(creator, token, round);
    if (at === STEPS.open) return this.open(creator, token);
    if (at >= STEPS.bought && at < STEPS.sold && at % BUY_EVERY === 0) return this.buys(token, height);
    if (at === STEPS.sold) return this.snipersSell(token);
    return at === STEPS.pull ? this.pull(creator, token) : [];
  }

  private async create(creator: string, token: Hex, round: number): Promise<Outgoing[]> {
    await this.give([creator], GIVEN);
    const name = NAMES[round % NAMES.length] as string;
    const symbol = name
      .split(' ')
      .map((word) => word.slice(0, 3).toUpperCase())
      .join('');
    const data = initCodeOf(compiled('StandardToken'), name, symbol, 18, SUPPLY, creator);
    const args = [metadataUri(symbol, `${name} of a local chain`)] as const;
    const describe = encodeFunctionData({ abi: DESCRIBE_ABI, functionName: 'describe', args });
    return [
      { from: creator, data, gas: 4_000_000 },
      { from: creator, to: token, data: describe },
    ];
  }

  /** Liquidity, and in the same block those who waited for it. */
  private async open(creator: string, token: Hex): Promise<Outgoing[]> {
    if (!(await this.isThere(token))) return [];
    const { v2Router } = this.market.sites;
    const kept = SUPPLY / 10n;
    const args = [token, SUPPLY - kept, 0n, 0n, creator as Hex, NO_DEADLINE] as const;
    const data = encodeFunctionData({ abi: LIQUIDITY_ABI, functionName: 'addLiquidityETH', args });
    const snipers = this.market.snipers.slice(0, SNIPED.length);
    await this.give(snipers, GIVEN);
    return [
      ...(await withApprovals(this.market.rpc, [
        {
          from: creator,
          transactions: [{ from: creator, to: v2Router, data, value: LIQUIDITY, gas: 5_000_000 }],
          approvals: [[token, v2Router]],
        },
      ])),
      ...snipers.map((sniper, n) => this.buy(sniper, token, SNIPED[n] as bigint)),
    ];
  }

  private async buys(token: Hex, height: number): Promise<Outgoing[]> {
    if ((await this.pairOf(token)) === null) return [];
    const { wallets } = this.market;
    const value = COIN / BigInt(4 + (height % 13));
    return [this.buy(wallets[(height * 7) % wallets.length] as string, token, value)];
  }

  private buy(from: string, token: Hex, value: bigint): Outgoing {
    const { wrapped, v2Router } = this.market.sites;
    const args = [0n, [wrapped as Hex, token], from as Hex, NO_DEADLINE] as const;
    const functionName = 'swapExactETHForTokensSupportingFeeOnTransferTokens';
    return { from, to: v2Router, value, data: encodeFunctionData({ abi: V2_ROUTER_ABI, functionName, args }) };
  }

  private async snipersSell(token: Hex): Promise<Outgoing[]> {
    if ((await this.pairOf(token)) === null) return [];
    const { rpc, sites, snipers } = this.market;
    const sellers = snipers.slice(0, SNIPED.length);
    const held = await this.held(token, sellers);
    return withApprovals(
      rpc,
      sellers.flatMap((from, n) => {
        const amount = held[n] as bigint;
        if (amount === 0n) return [];
        const args = [amount, 0n, [token, sites.wrapped as Hex], from as Hex, NO_DEADLINE] as const;
        const functionName = 'swapExactTokensForETHSupportingFeeOnTransferTokens';
        const data = encodeFunctionData({ abi: V2_ROUTER_ABI, functionName, args });
        const approvals: [string, string][] = [[token, sites.v2Router]];
        return [{ from, transactions: [{ from, to: sites.v2Router, data }], approvals }];
      }),
    );
  }

  private async pull(creator: string, token: Hex): Promise<Outgoing[]> {
    const pair = await this.pairOf(token);
    if (pair === null) return [];
    const [shares] = (await this.held(pair, [creator])) as [bigint];
    if (shares === 0n) return [];
    const { v2Router } = this.market.sites;
    const approve = encodeFunctionData({
      abi: ERC20_ABI,
      functionName: 'approve',
      args: [v2Router as Hex, MAX_UINT256],
    });
    const args = [token, shares, 0n, 0n, creator as Hex, NO_DEADLINE] as const;
    const functionName = 'removeLiquidityETHSupportingFeeOnTransferTokens';
    const data = encodeFunctionData({ abi: LIQUIDITY_ABI, functionName, args });
    return [
      { from: creator, to: pair, data: approve, gas: 120_000 },
      { from: creator, to: v2Router, data },
    ];
  }

  private async isThere(token: Hex): Promise<boolean> {
    return (await this.market.rpc.call<string>('eth_getCode', [token, 'latest'])) !== '0x';
  }

  /** Null before there is one. */
  private async pairOf(token: Hex): Promise<Hex | null> {
    const { rpc, sites } = this.market;
    const args = [token, sites.wrapped as Hex] as const;
    const data = encodeFunctionData({ abi: V2_FACTORY_ABI, functionName: 'getPair', args });
    const [word] = await rpc.view([{ to: sites.v2Factory, data }]);
    return word == null || BigInt(word) === 0n ? null : `0x${word.slice(26)}`;
  }

  private async held(token: Hex, wallets: readonly string[]): Promise<bigint[]> {
    const words = await this.market.rpc.view(
      wallets.map((wallet) => ({
        to: token,
        data: encodeFunctionData({ abi: ERC20_ABI, functionName: 'balanceOf', args: [wallet as Hex] }),
      })),
    );
    return words.map((word) => BigInt(word ?? '0x0'));
  }

  private async give(wallets: readonly string[], wei: bigint): Promise<void> {
    await this.market.rpc.batch(
      wallets.map((wallet) => ({ method: 'anvil_setBalance', params: [wallet, quantityText(wei)] })),
    );
  }
}
