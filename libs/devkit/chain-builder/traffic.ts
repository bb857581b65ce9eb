import { squareRoot } from '#libs/chain/amm/square-root.js';
import { MAX_TICK, tickAtSqrtRatio } from '#libs/chain/amm/tick-math.js';
import { keccak256Hex } from '#libs/chain/chains/evm/keccak.js';
import { encodeRlp, rlpBytes, rlpQuantity } from '#libs/chain/chains/evm/proof/rlp.js';
import type { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { topic, word } from './abi-words.js';
import { TICK_SPACINGS } from './concentrated-rules.js';
import type { CallIntent, Hop, Intent } from './intents.js';
import { keccakText } from './keccak-hex.js';
import type { ConcentratedState, MarketState, PairState, PoolState, TokenSpec } from './market-state.js';
import { OFFICIAL } from './official-addresses.js';
import { quantityText } from './rpc-shapes.js';

/**
 * Seeded generator of plausible traffic. It looks at the tip's state only to choose sizes and targets; whether a call
 * succeeds is decided by the rules when it is executed.
 */
export interface TrafficOptions {
  wallets: number;
  /** Tokens besides WETH, USDC, USDT and DAI. */
  extraTokens: number;
}

/** A factory that is in no list of venues. */
export const FOREIGN_V2_FACTORY = '0xf0e1900000000000000000000000000000000001';
const NFT_CONTRACT = '0xf0e1900000000000000000000000000000000002';
const FOREIGN_CONTRACT = '0xf0e1900000000000000000000000000000000003';

const BEHAVIOURS = ['standard', 'taxed', 'bytes32', 'mute', 'absurd', 'garbled'] as const;
const SYNC = topic('Sync(uint112,uint112)');
const APPROVAL = topic('Approval(address,address,uint256)');

export function createAddress(from: string, nonce: number): string {
  return `0x${keccak256Hex(encodeRlp([rlpBytes(from), rlpQuantity(quantityText(nonce))])).slice(24)}`;
}

/** Base units of `usd` dollars' worth of a token. */
function unitsWorth(spec: TokenSpec, usd: number): bigint {
  const whole = usd / spec.usd;
  const scaled = BigInt(Math.max(1, Math.round(whole * 1e6)));
  return (scaled * 10n ** BigInt(spec.decimals)) / 1_000_000n;
}

export class Traffic {
  readonly wallets: string[];
  private readonly nonces = new Map<string, number>();
  private tokenCount = 0;

  constructor(
    private readonly random: SeededRandom,
    private readonly options: TrafficOptions,
  ) {
    this.wallets = Array.from({ length: options.wallets }, (_, i) => `0x${keccakText(`wallet ${i}`).slice(24)}`);
  }

  sign(from: string, call: CallIntent): Intent {
    const nonce = this.nonces.get(from) ?? 0;
    this.nonces.set(from, nonce + 1);
    return { from, nonce, call };
  }

  /** First blocks: the tokens, then pools over them. */
  setup(): Intent[][] {
    const coin = (address: string, name: string, symbol: string, decimals: number, usd: number): TokenSpec => ({
      address,
      name,
      symbol,
      decimals,
      behaviour: 'standard',
      usd,
    });
    const weth = coin(OFFICIAL.weth, 'Wrapped Ether', 'WETH', 18, 3000);
    const usdc = coin(OFFICIAL.usdc, 'USD Coin', 'USDC', 6, 1);
    const usdt = coin(OFFICIAL.usdt, 'Tether USD', 'USDT', 6, 1);
    const dai = coin(OFFICIAL.dai, 'Dai Stablecoin', 'DAI', 18, 1);
    const extra = Array.from({ length: this.options.extraTokens }, () => this.newToken());
    const tokens = [
      ...[weth, usdc, usdt, dai].map((spec) => this.sign(this.random.pick(this.wallets), this.deployment(spec))),
      ...extra,
    ];
    const pools: Intent[] = [];
    for (const stable of [usdc, usdt, dai]) pools.push(this.newPair(weth, stable), this.newPool(weth, stable));
    pools.push(this.newPair(usdc, dai), this.newPool(usdc, usdt));
    const specs = extra.map(({ call }) => (call as Extract<CallIntent, { do: 'deploy' }>).spec);
    specs.forEach((spec, i) => {
      pools.push(this.newPair(spec, weth));
      if (i % 2 === 0) pools.push(this.newPool(spec, i % 4 === 0 ? weth : usdc));
      const other = specs[i + 1];
      if (other) pools.push(this.newPair(spec, other));
    });
    return [tokens, pools];
  }

  /** One random intent against the state at the tip. */
  next(state: MarketState): Intent {
    const from = this.random.pick(this.wallets);
    const pools = [...state.pools.values()];
    const kind = this.random.weighted([50, 12, 6, 6, 8, 7, 2, 2, 1, 3, 2, 1]);
    if (kind === 0) return this.sign(from, this.swap(state, pools, from));
    const pairs = pools.filter((pool): pool is PairState => pool.kind === 'pair' && pool.reserve0 > 0n);
    const concentrated = pools.filter((pool): pool is ConcentratedState => pool.kind === 'concentrated');
    if (kind === 2) return this.sign(from, this.addLiquidity(this.random.pick(pairs)));
    if (kind === 3) return this.removeLiquidity(state, this.random.pick(pairs), from);
    if (kind === 4) return this.sign(from, this.addPosition(state, this.random.pick(concentrated)));
    if (kind === 5) return this.sign(from, this.removePosition(this.random.pick(concentrated)));
    if (kind === 6) {
      const pool = this.random.pick(concentrated);
      const share = (token: string) => this.random.fraction(state.balance(token, pool.address), 0.001, 0.05);
      return this.sign(from, {
        do: 'flash',
        pool: pool.address,
        amount0: share(pool.token0),
        amount1: this.random.chance(0.5) ? share(pool.token1) : 0n,
      });
    }
    if (kind === 7) {
      const pair = this.random.pick(pairs);
      const amount0 = this.random.fraction(pair.reserve0, 0.0001, 0.002);
      return this.sign(from, { do: 'donate', pair: pair.address, amount0, sync: this.random.chance(0.7) });
    }
    if (kind === 8) return this.newToken();
    if (kind === 9) return this.newMarket(state);
    if (kind === 10) return this.sign(from, this.foreign(from));
    if (kind === 11) return this.sign(from, { do: 'collect-protocol', pool: this.random.pick(concentrated).address });
    return this.sign(from, this.move(state, from));
  }

  private deployment(spec: TokenSpec): CallIntent {
    return { do: 'deploy', spec, holders: this.wallets, amount: unitsWorth(spec, 50_000_000) };
  }

  private newToken(): Intent {
    const from = this.random.pick(this.wallets);
    const nonce = this.nonces.get(from) ?? 0;
    const index = this.tokenCount++;
    const behaviour = BEHAVIOURS[index % BEHAVIOURS.length] as (typeof BEHAVIOURS)[number];
    const spec: TokenSpec = {
      address: createAddress(from, nonce),
      name: `Token ${index}`,
      symbol: `TKN${index}`,
      decimals: behaviour === 'standard' ? this.random.pick([0, 2, 6, 8, 9, 18]) : 18,
      behaviour,
      usd: 10 ** (this.random.next() * 8 - 5),
    };
    return this.sign(from, this.deployment(spec));
  }

  private newPair(a: TokenSpec, b: TokenSpec, factory: string = OFFICIAL.v2Factory, registered = true): Intent {
    const usd = 20_000 * 100 ** this.random.next();
    return this.sign(this.random.pick(this.wallets), {
      do: 'create-pair',
      factory,
      tokenA: a.address,
      tokenB: b.address,
      amountA: unitsWorth(a, usd),
      amountB: unitsWorth(b, usd),
      registered,
    });
  }

  private newPool(a: TokenSpec, b: TokenSpec): Intent {
    const [low, high] = a.address < b.address ? [a, b] : [b, a];
    const fee = this.random.pick([100, 500, 3000, 10000]);
    const amount0 = unitsWorth(low, 1_000_000);
    const amount1 = unitsWorth(high, 1_000_000);
    const sqrtPriceX96 = squareRoot((amount1 << 192n) / amount0);
    const tick = tickAtSqrtRatio(sqrtPriceX96);
    const liquidity = squareRoot(amount0 * amount1) / 10n + 1n;
    const ranges = [100_000, 6_000, 1_000].map((width, i) => ({
      ...this.range(tick, width, TICK_SPACINGS[fee] as number),
      liquidity: liquidity * BigInt(1 + 2 * i),
    }));
    return this.sign(this.random.pick(this.wallets), {
      do: 'create-pool',
      tokenA: a.address,
      tokenB: b.address,
      fee,
      sqrtPriceX96,
      feeProtocol: this.random.chance(0.3) ? this.random.between(4, 10) : 0,
      ranges,
    });
  }

  private range(tick: number, width: number, spacing: number): { lower: number; upper: number } {
    const last = Math.floor(MAX_TICK / spacing) * spacing;
    const lower = Math.max(-last, Math.min(last - spacing, Math.floor((tick - width) / spacing) * spacing));
    const upper = Math.max(lower + spacing, Math.min(last, Math.ceil((tick + width) / spacing) * spacing));
    return { lower, upper };
  }

  private newMarket(state: MarketState): Intent {
    const specs = [...state.tokens.values()].map(({ spec }) => spec).filter((spec) => spec.behaviour !== 'share');
    const a = this.random.pick(specs);
    const b = this.random.pick(specs.filter((spec) => spec !== a));
    const shape = this.random.weighted([4, 4, 1, 1]);
    if (shape === 0) return this.newPair(a, b);
    if (shape === 1) return this.newPool(a, b);
    if (shape === 2) return this.newPair(a, b, FOREIGN_V2_FACTORY);
    return this.newPair(a, b, OFFICIAL.v2Factory, false);
  }

  private swap(state: MarketState, pools: PoolState[], from: string): CallIntent {
    const first = this.random.pick(pools);
    const hops: Hop[] = [];
    let pool: PoolState | undefined = first;
    let zeroForOne = this.random.chance(0.5);
    const wanted = this.random.weighted([0, 75, 20, 5]);
    while (pool) {
      hops.push({ pool: pool.address, zeroForOne, maxTicks: this.random.between(20, 2000) });
      if (hops.length >= wanted) break;
      const have: string = zeroForOne ? pool.token1 : pool.token0;
      const used = new Set(hops.map((hop) => hop.pool));
      const onward = pools.filter((next) => !used.has(next.address) && (next.token0 === have || next.token1 === have));
      pool = onward.length > 0 ? this.random.pick(onward) : undefined;
      zeroForOne = pool?.token0 === have;
    }
    const firstHop = hops[0] as Hop;
    const tokenIn = firstHop.zeroForOne ? first.token0 : first.token1;
    const held = state.balance(tokenIn, first.address);
    const recipient = this.random.chance(0.85) ? from : this.random.pick(this.wallets);
    return {
      do: 'swap',
      hops,
      amountIn: this.random.fraction(held, 0.00001, 0.03) + 1n,
      recipient,
      direct: hops.length === 1 && this.random.chance(0.15),
    };
  }

  private addLiquidity(pair: PairState): CallIntent {
    const amount0 = this.random.fraction(pair.reserve0, 0.001, 0.1) + 1n;
    return {
      do: 'add-liquidity',
      pair: pair.address,
      amount0,
      amount1: (amount0 * pair.reserve1) / pair.reserve0 + 1n,
    };
  }

  private removeLiquidity(state: MarketState, pair: PairState, from: string): Intent {
    const { balances } = state.token(pair.address);
    const holders = this.wallets.filter((wallet) => (balances.get(wallet) ?? 0n) > 0n);
    const holder = holders.length > 0 ? this.random.pick(holders) : from;
    const shares = this.random.fraction(state.balance(pair.address, holder), 0.05, 0.9);
    return this.sign(holder, { do: 'remove-liquidity', pair: pair.address, shares });
  }

  private addPosition(state: MarketState, pool: ConcentratedState): CallIntent {
    const width = pool.tickSpacing * this.random.between(1, 300);
    const away = this.random.chance(0.25) ? width * this.random.pick([-2, 2]) : 0;
    const { lower, upper } = this.range(pool.tick + away, width, pool.tickSpacing);
    const depth = state.balance(pool.token0, pool.address) + state.balance(pool.token1, pool.address);
    const base = pool.liquidity > 0n ? pool.liquidity : depth;
    return {
      do: 'add-position',
      pool: pool.address,
      lower,
      upper,
      liquidity: this.random.fraction(base, 0.01, 0.5) + 1n,
    };
  }

  private removePosition(pool: ConcentratedState): CallIntent {
    const open = [...pool.positions.values()];
    if (open.length === 0) return { do: 'revert' };
    const { lower, upper, liquidity } = this.random.pick(open);
    const all = this.random.chance(0.4);
    const part = this.random.chance(0.2) ? 0n : this.random.fraction(liquidity, 0.05, 0.9);
    return {
      do: 'remove-position',
      pool: pool.address,
      lower,
      upper,
      liquidity: all ? liquidity : part,
      collects: this.random.chance(0.7),
    };
  }

  private move(state: MarketState, from: string): CallIntent {
    const token = this.random.pick([...state.tokens.values()]);
    const address = token.spec.address;
    const to = this.random.pick(this.wallets);
    const held = state.balance(address, from);
    const share = token.spec.behaviour === 'share';
    if (!share && this.random.chance(0.1)) {
      return { do: 'issue', token: address, to, amount: this.random.fraction(token.supply, 0.0001, 0.01) };
    }
    const amount = this.random.fraction(held, 0.0001, 0.2);
    if (!share && this.random.chance(0.1)) return { do: 'destroy', token: address, amount };
    return { do: 'transfer', token: address, to, amount };
  }

  /** Logs that must not be taken for trades: an NFT transfer, an approval, a Sync of a contract that is no pool. */
  private foreign(from: string): CallIntent {
    const shape = this.random.int(4);
    if (shape === 0) return { do: 'revert' };
    if (shape === 1) {
      return {
        do: 'nft',
        contract: NFT_CONTRACT,
        to: this.random.pick(this.wallets),
        id: BigInt(this.random.int(1e6)),
      };
    }
    if (shape === 2) {
      const topics = [APPROVAL, `0x${word(BigInt(from))}`, `0x${word(BigInt(this.random.pick(this.wallets)))}`];
      return { do: 'foreign-log', contract: FOREIGN_CONTRACT, topics, words: [] };
    }
    return { do: 'foreign-log', contract: FOREIGN_CONTRACT, topics: [SYNC], words: [word(this.random.int(1e6) + 1)] };
  }
}
