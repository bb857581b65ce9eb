import { encodeFunctionData, type Hex, prepareEncodeFunctionData } from 'viem';
import type { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { quantityText } from '#libs/devkit/chain-builder/rpc-shapes.js';
import { pictureUri } from '../../token-picture.js';
import type { AnvilRpc } from '../anvil-rpc.js';
import { withApprovals } from '../approvals.js';
import { ERC20_ABI, NO_DEADLINE, V2_ROUTER_ABI } from '../periphery-abi.js';
import type { Outgoing } from '../transaction-sender.js';
import { CURVE_ABI, LAUNCHPAD_ABI, LOCAL_LAUNCHPAD_ADDRESS, VIRTUAL_COIN } from './contracts.js';

/** Of a block with a launch or a trade: busy markets, quiet ones. */
const CHANCE = { busy: 0.55, quiet: 0.2 };
/** Curves that are open at a time; while there are fewer, launches come often. */
const OPEN_CURVES = 5;
const LAUNCHES = { few: 0.25, enough: 0.02 };
/**
 * Of a buy, in per cent of what a curve begins with. Once there are `MANY` tokens curves take longer to fill, and launches are rarer: the
 * chain's state grows with each of them.
 */
const BOUGHT = { early: [2, 24], later: [1, 6] } as const;
const MANY = 64;
/** Tokens that graduated and are still traded: the newest. */
const GRADUATED_TRADED = 4;
const LAUNCH_GAS = 9_000_000;
/** The last buy of a curve graduates its token. */
const BUY_GAS = 900_000;

/** Of a launch that snipers buy into, and what each puts in, in per cent of what a curve begins with. */
const SNIPED = 0.7;
const SNIPED_SHARE = [2, 9] as const;
const SNIPER_ETHER = 50n * 10n ** 18n;

/** Calls of each plan, encoded once. */
const CURVES = prepareEncodeFunctionData({ abi: LAUNCHPAD_ABI, functionName: 'curves' });
const CURVE_GETTERS = (['token', 'graduated', 'remaining'] as const).map((functionName) =>
  encodeFunctionData({ abi: CURVE_ABI, functionName }),
);

const WORDS = ['Coral', 'Drift', 'Eddy', 'Fathom', 'Gull', 'Helm', 'Inlet', 'Jetty', 'Krill', 'Lagoon', 'Moor', 'Reef'];

export interface LaunchpadMarket {
  rpc: AnvilRpc;
  wrapped: string;
  v2Router: string;
  wallets: readonly string[];
  /** Wallets that wait for launches. */
  snipers: readonly string[];
  random: SeededRandom;
  quiet: boolean;
}

interface Curve {
  address: Hex;
  token: Hex;
  graduated: boolean;
  remaining: bigint;
}

/**
 * Seeded launchers and traders of the launchpad: curves open, fill and graduate, so that its boards move, and tokens that
 * graduated trade on their pairs; snipers buy right behind a launch. Invariant: what exists is read from the chain each time,
 * so that a fork forgets nothing and keeps nothing; they have a random sequence of their own.
 */
export class LaunchpadTraders {
  /** Tokens there were when one was launched last; snipers look for the next. */
  private awaited: number | null = null;

  constructor(private readonly market: LaunchpadMarket) {}

  /** Transactions of the next block. */
  async plan(): Promise<Outgoing[]> {
    return [...(await this.snipe()), ...(await this.trade())];
  }

  /** Behind a launch: some wallets buy one after the other before anybody else does. */
  private async snipe(): Promise<Outgoing[]> {
    if (this.awaited === null) return [];
    const { random, snipers, rpc } = this.market;
    const awaited = this.awaited;
    this.awaited = null;
    const count = await this.count();
    if (count === null || count <= awaited || !random.chance(SNIPED)) return [];
    const curve = (await this.newest(count)).at(-1) as Curve;
    if (curve.graduated) return [];
    const buyers = random.shuffle([...snipers]).slice(0, random.between(1, 4));
    await rpc.batch(
      buyers.map((buyer) => ({ method: 'anvil_setBalance', params: [buyer, quantityText(SNIPER_ETHER)] })),
    );
    return buyers.map((buyer) => this.buy(curve, buyer, SNIPED_SHARE));
  }

  private async trade(): Promise<Outgoing[]> {
    const { random, wallets, quiet, rpc } = this.market;
    if (!random.chance(quiet ? CHANCE.quiet : CHANCE.busy)) return [];
    const wallet = random.pick(wallets);
    const count = await this.count();
    if (count === null) return [];
    const curves = await this.newest(count);
    const open = curves.filter(({ graduated }) => !graduated);
    const enough = open.length >= OPEN_CURVES;
    if (random.chance(enough ? LAUNCHES.enough : LAUNCHES.few)) {
      this.awaited = count;
      return [this.launch(wallet, count)];
    }
    const done = curves.filter(({ graduated }) => graduated).slice(-GRADUATED_TRADED);
    if (done.length > 0 && random.chance(0.25)) {
      return withApprovals(rpc, [await this.onPair(random.pick(done).token, wallet)]);
    }
    if (open.length === 0) return [];
    // The fullest one fills first.
    const fullest = open.reduce((a, b) => (a.remaining <= b.remaining ? a : b));
    const curve = random.chance(0.55) ? fullest : random.pick(open);
    if (random.chance(0.2)) {
      const held = await this.held(curve.token, wallet);
      if (held > 0n)
        return withApprovals(rpc, [this.sale(curve, wallet, (held * BigInt(random.between(20, 100))) / 100n)]);
    }
    return [this.buy(curve, wallet, count < MANY ? BOUGHT.early : BOUGHT.later)];
  }

  private launch(from: string, count: number): Outgoing {
    const { random } = this.market;
    const word = random.pick(WORDS);
    const name = `${word} ${count + 1}`;
    const symbol = `${word.slice(0, 4).toUpperCase()}${count + 1}`;
    const salt: Hex = `0x${count.toString(16).padStart(64, '0')}`;
    const args = [name, symbol, pictureUri(symbol), salt, 0n] as const;
    const data = encodeFunctionData({ abi: LAUNCHPAD_ABI, functionName: 'launchAt', args });
    const value = random.chance(0.6) ? share(VIRTUAL_COIN, random.between(1, 10)) : 0n;
    return { from, to: LOCAL_LAUNCHPAD_ADDRESS, data, value, gas: LAUNCH_GAS };
  }

  private buy({ address }: Curve, from: string, [least, most]: readonly [number, number]): Outgoing {
    const value = share(VIRTUAL_COIN, this.market.random.between(least, most));
    const data = encodeFunctionData({ abi: CURVE_ABI, functionName: 'buy', args: [from as Hex, 0n] });
    return { from, to: address, data, value, gas: BUY_GAS };
  }

  private sale({ address, token }: Curve, from: string, amount: bigint) {
    const data = encodeFunctionData({ abi: CURVE_ABI, functionName: 'sell', args: [amount, from as Hex, 0n] });
    return { from, transactions: [{ from, to: address, data }], approvals: [[token, address] as [string, string]] };
  }

  private async onPair(token: Hex, from: string) {
    const { random, wrapped, v2Router } = this.market;
    const held = random.chance(0.5) ? await this.held(token, from) : 0n;
    const common = { from, to: v2Router };
    if (held === 0n) {
      const data = encodeFunctionData({
        abi: V2_ROUTER_ABI,
        functionName: 'swapExactETHForTokensSupportingFeeOnTransferTokens',
        args: [0n, [wrapped as Hex, token], from as Hex, NO_DEADLINE],
      });
      return {
        from,
        transactions: [{ ...common, data, value: share(VIRTUAL_COIN, random.between(1, 8)) }],
        approvals: [],
      };
    }
    const data = encodeFunctionData({
      abi: V2_ROUTER_ABI,
      functionName: 'swapExactTokensForETHSupportingFeeOnTransferTokens',
      args: [(held * BigInt(random.between(10, 60))) / 100n, 0n, [token, wrapped as Hex], from as Hex, NO_DEADLINE],
    });
    return { from, transactions: [{ ...common, data }], approvals: [[token, v2Router] as [string, string]] };
  }

  /** Null on a chain whose folder is older than the launchpad. */
  private async count(): Promise<number | null> {
    const data = encodeFunctionData({ abi: LAUNCHPAD_ABI, functionName: 'count' });
    const [answer] = await this.market.rpc.view([{ to: LOCAL_LAUNCHPAD_ADDRESS, data }]);
    return answer == null ? null : Number(BigInt(answer));
  }

  /** The newest curves: older ones are full or left alone. */
  private async newest(count: number): Promise<Curve[]> {
    const { rpc } = this.market;
    const from = Math.max(0, count - 2 * (OPEN_CURVES + GRADUATED_TRADED));
    const indexes = Array.from({ length: count - from }, (_, n) => BigInt(from + n));
    const found = await rpc.view(
      indexes.map((index) => ({
        to: LOCAL_LAUNCHPAD_ADDRESS,
        data: encodeFunctionData({ ...CURVES, args: [index] }),
      })),
    );
    const addresses = found.map((answer) => addressIn(answer as Hex));
    const answers = await rpc.view(addresses.flatMap((to) => CURVE_GETTERS.map((data) => ({ to, data }))));
    return addresses.map((address, n) => {
      const [token, graduated, remaining] = answers.slice(n * 3, n * 3 + 3) as [Hex, Hex, Hex];
      return {
        ...{ address, token: addressIn(token) },
        ...{ graduated: BigInt(graduated) === 1n, remaining: BigInt(remaining) },
      };
    });
  }

  private async held(token: string, wallet: string): Promise<bigint> {
    const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'balanceOf', args: [wallet as Hex] });
    const [held] = await this.market.rpc.view([{ to: token, data }]);
    return BigInt(held ?? '0x0');
  }
}

const addressIn = (word: Hex): Hex => `0x${word.slice(26)}`;

const share = (amount: bigint, percent: number): bigint => (amount * BigInt(percent)) / 100n;
