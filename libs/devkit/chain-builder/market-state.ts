import { addressTopic, data, Revert, topic, word } from './abi-words.js';
import type { BareLog } from './block-hash.js';

/**
 * State of the builder's market: token ledgers and pools. A fork copies only what it then changes, so every block
 * (and every transaction, for its revert) can own a whole state. Balances are the truth; pools read theirs from them.
 */
type TokenBehaviour =
  | 'standard'
  /** Keeps a share of every transfer. */
  | 'taxed'
  /** name() and symbol() return bytes32. */
  | 'bytes32'
  /** name(), symbol() and decimals() revert. */
  | 'mute'
  /** decimals() answers 255. */
  | 'absurd'
  /** symbol() is not UTF-8 and name() is very long with control characters. */
  | 'garbled'
  /** Pool share of a pair. */
  | 'share';

export interface TokenSpec {
  address: string;
  name: string;
  symbol: string;
  decimals: number;
  behaviour: TokenBehaviour;
  /** Price at which the generator seeds pools. */
  usd: number;
}

export interface TokenState {
  spec: TokenSpec;
  supply: bigint;
  balances: Map<string, bigint>;
}

interface PoolBase {
  address: string;
  factory: string;
  token0: string;
  token1: string;
  /** Whether the factory's getPair/getPool confirms it. */
  registered: boolean;
}

export interface PairState extends PoolBase {
  kind: 'pair';
  reserve0: bigint;
  reserve1: bigint;
  timestampLast: number;
}

interface Tick {
  gross: bigint;
  net: bigint;
}

export interface LiquidityPosition {
  owner: string;
  lower: number;
  upper: number;
  liquidity: bigint;
  owed0: bigint;
  owed1: bigint;
}

export interface ConcentratedState extends PoolBase {
  kind: 'concentrated';
  fee: number;
  tickSpacing: number;
  sqrtPriceX96: bigint;
  tick: number;
  liquidity: bigint;
  /** 0, or the divisor of the protocol's share of the fees. */
  feeProtocol: number;
  protocolFees0: bigint;
  protocolFees1: bigint;
  /** Fees earned by positions and not yet given to one. */
  earned0: bigint;
  earned1: bigint;
  ticks: Map<number, Tick>;
  positions: Map<string, LiquidityPosition>;
}

export type PoolState = PairState | ConcentratedState;

type Creation = Pick<ConcentratedState, 'address' | 'factory' | 'token0' | 'token1' | 'fee' | 'tickSpacing'>;

/** A concentrated pool as its factory leaves it: without a price. */
export const poolFromCreation = (creation: Creation): ConcentratedState => ({
  kind: 'concentrated',
  ...creation,
  registered: true,
  sqrtPriceX96: 0n,
  tick: 0,
  liquidity: 0n,
  feeProtocol: 0,
  protocolFees0: 0n,
  protocolFees1: 0n,
  earned0: 0n,
  earned1: 0n,
  ticks: new Map(),
  positions: new Map(),
});

export const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;
const TAX_COLLECTOR = '0x00000000000000000000000000000000007a7e57';
const TAX_DIVISOR = 20n;

export class MarketState {
  private readonly own = new Set<string>();

  private constructor(
    private readonly tokenMap: Map<string, TokenState>,
    private readonly poolMap: Map<string, PoolState>,
    /** Pool address by factory and sorted tokens (and fee). */
    private readonly index: Map<string, string>,
  ) {}

  static empty(): MarketState {
    return new MarketState(new Map(), new Map(), new Map());
  }

  fork(): MarketState {
    return new MarketState(new Map(this.tokenMap), new Map(this.poolMap), new Map(this.index));
  }

  get tokens(): ReadonlyMap<string, TokenState> {
    return this.tokenMap;
  }

  get pools(): ReadonlyMap<string, PoolState> {
    return this.poolMap;
  }

  token(address: string): TokenState {
    const token = this.tokenMap.get(address);
    if (!token) throw new Revert('no such token');
    return token;
  }

  addToken(spec: TokenSpec): void {
    if (this.tokenMap.has(spec.address)) throw new Revert('token exists');
    this.tokenMap.set(spec.address, { spec, supply: 0n, balances: new Map() });
    this.own.add(spec.address);
  }

  changeToken(address: string): TokenState {
    const token = this.token(address);
    if (this.own.has(address)) return token;
    const copy = { ...token, balances: new Map(token.balances) };
    this.tokenMap.set(address, copy);
    this.own.add(address);
    return copy;
  }

  balance(token: string, holder: string): bigint {
    return this.tokenMap.get(token)?.balances.get(holder) ?? 0n;
  }

  addPool(pool: PoolState): void {
    if (this.poolMap.has(pool.address)) throw new Revert('pool exists');
    this.poolMap.set(pool.address, pool);
    this.own.add(`pool ${pool.address}`);
    if (pool.registered) {
      const fee = pool.kind === 'concentrated' ? pool.fee : 0;
      this.index.set(poolKey(pool.factory, pool.token0, pool.token1, fee), pool.address);
    }
  }

  registeredPool(factory: string, tokenA: string, tokenB: string, fee: number): string {
    const [token0, token1] = tokenA < tokenB ? [tokenA, tokenB] : [tokenB, tokenA];
    return this.index.get(poolKey(factory, token0, token1, fee)) ?? ZERO_ADDRESS;
  }

  pair(address: string): PairState {
    const pool = this.poolMap.get(address);
    if (pool?.kind !== 'pair') throw new Revert('not a pair');
    return pool;
  }

  changePair(address: string): PairState {
    const pool = this.pair(address);
    if (this.own.has(`pool ${address}`)) return pool;
    const copy = { ...pool };
    this.poolMap.set(address, copy);
    this.own.add(`pool ${address}`);
    return copy;
  }

  concentrated(address: string): ConcentratedState {
    const pool = this.poolMap.get(address);
    if (pool?.kind !== 'concentrated') throw new Revert('not a concentrated pool');
    return pool;
  }

  changeConcentrated(address: string): ConcentratedState {
    const pool = this.concentrated(address);
    if (this.own.has(`pool ${address}`)) return pool;
    const copy = {
      ...pool,
      ticks: new Map([...pool.ticks].map(([tick, info]) => [tick, { ...info }])),
      positions: new Map([...pool.positions].map(([key, position]) => [key, { ...position }])),
    };
    this.poolMap.set(address, copy);
    this.own.add(`pool ${address}`);
    return copy;
  }
}

function poolKey(factory: string, token0: string, token1: string, fee: number): string {
  return `${factory} ${token0} ${token1} ${fee}`;
}

/** One transaction being executed: the state it changes and the logs it leaves. */
export interface MarketExecution {
  state: MarketState;
  logs: BareLog[];
  timestamp: number;
}

const TRANSFER = topic('Transfer(address,address,uint256)');

export function emit(run: MarketExecution, address: string, topics: string[], ...words: string[]): void {
  run.logs.push({ address, topics, data: data(...words) });
}

function emitTransfer(run: MarketExecution, token: string, from: string, to: string, amount: bigint): void {
  emit(run, token, [TRANSFER, addressTopic(from), addressTopic(to)], word(amount));
}

/** Moves tokens and returns what the receiver really got. */
export function transfer(run: MarketExecution, token: string, from: string, to: string, amount: bigint): bigint {
  const { balances, spec } = run.state.changeToken(token);
  const held = balances.get(from) ?? 0n;
  if (held < amount) throw new Revert('ERC20: transfer amount exceeds balance');
  const tax = spec.behaviour === 'taxed' ? amount / TAX_DIVISOR : 0n;
  balances.set(from, held - amount);
  balances.set(to, (balances.get(to) ?? 0n) + amount - tax);
  emitTransfer(run, token, from, to, amount - tax);
  if (tax > 0n) {
    balances.set(TAX_COLLECTOR, (balances.get(TAX_COLLECTOR) ?? 0n) + tax);
    emitTransfer(run, token, from, TAX_COLLECTOR, tax);
  }
  return amount - tax;
}

export function issue(run: MarketExecution, token: string, to: string, amount: bigint): void {
  const state = run.state.changeToken(token);
  state.supply += amount;
  state.balances.set(to, (state.balances.get(to) ?? 0n) + amount);
  emitTransfer(run, token, ZERO_ADDRESS, to, amount);
}

export function destroy(run: MarketExecution, token: string, from: string, amount: bigint): void {
  const state = run.state.changeToken(token);
  const held = state.balances.get(from) ?? 0n;
  if (held < amount) throw new Revert('ERC20: burn amount exceeds balance');
  state.supply -= amount;
  state.balances.set(from, held - amount);
  emitTransfer(run, token, from, ZERO_ADDRESS, amount);
}
