import { decodeEventLog, type Hex, parseAbi, toEventSelector } from 'viem';
import { greatest, least } from '#libs/core/bigint-order.js';
import { OFFICIAL } from '#libs/devkit/chain-builder/official-addresses.js';
import type { AnvilRpc } from '#libs/devkit/devnet/evm/anvil-rpc.js';
import { otherOf, reserveOf, type TruthPool, TruthPrices, type TruthTokens } from './truth-prices.js';
import { type Decoded, type ReceiptLog, readV4, V4_MANAGER } from './truth-v4.js';

/**
 * A market read from the receipts of every canonical block with viem, and its trades by the rules of prices: the
 * independent side of a comparison. It shares no code with the source, the venues, the fold or the answers.
 */
export interface TruthTrade {
  id: string;
  block: number;
  ordinal: number;
  time: number;
  signature: string;
  wallet: string;
  pool: string;
  dex: string;
  base: string;
  quote: string;
  baseAmount: bigint;
  quoteAmount: bigint;
  /** Of the base token. */
  side: 'buy' | 'sell';
  priceUsd: bigint | null;
  volumeUsd: bigint | null;
  coinUsd: bigint | null;
  volumeCoin: bigint | null;
  counted: boolean;
}

export interface TruthMarket {
  head: { height: number; hash: string };
  pools: TruthPool[];
  /** In chain order. */
  trades: TruthTrade[];
  /** At the end of the head block. */
  prices: TruthPrices;
}

interface Receipt {
  transactionHash: string;
  from: string;
  logs: ReceiptLog[];
}

interface Header {
  number: Hex;
  hash: string;
  timestamp: Hex;
}

const factories = parseAbi([
  'event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count)',
  'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
]);
const pairs = parseAbi([
  'event Sync(uint112 reserve0, uint112 reserve1)',
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
]);
const concentrated = parseAbi([
  'event Initialize(uint160 sqrtPriceX96, int24 tick)',
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Collect(address indexed owner, address recipient, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount0, uint128 amount1)',
  'event CollectProtocol(address indexed sender, address indexed recipient, uint128 amount0, uint128 amount1)',
  'event Flash(address indexed sender, address indexed recipient, uint256 amount0, uint256 amount1, uint256 paid0, uint256 paid1)',
]);
type Abi = typeof factories | typeof pairs | typeof concentrated;
/** Events by their first topic: viem hashes the signature of every event it is given, for every log. */
const byTopic = (abi: Abi) => new Map<string, Abi[number]>(abi.map((item) => [toEventSelector(item), item]));
const known = new Map([factories, pairs, concentrated].map((abi) => [abi, byTopic(abi)]));

function decode(abi: Abi, log: ReceiptLog): Decoded | null {
  const item = known.get(abi)!.get(log.topics[0]);
  if (!item) return null;
  const event = decodeEventLog({ abi: [item] as unknown as typeof concentrated, data: log.data, topics: log.topics });
  return { name: event.eventName, args: event.args as unknown as Record<string, unknown> };
}

export async function readMarket(rpc: AnvilRpc, tokens: TruthTokens): Promise<TruthMarket> {
  const pools = new Map<string, TruthPool>();
  const trades: TruthTrade[] = [];
  const reading = { tokens, pools, trades };
  const head = Number(await rpc.call<Hex>('eth_blockNumber'));
  let last: Header | null = null;
  for (let from = 0; from <= head; from += 40) {
    const heights = Array.from({ length: Math.min(40, head - from + 1) }, (_, i) => `0x${(from + i).toString(16)}`);
    const headers = await rpc.batch(heights.map((at) => ({ method: 'eth_getBlockByNumber', params: [at, false] })));
    const receipts = await rpc.batch(heights.map((at) => ({ method: 'eth_getBlockReceipts', params: [at] })));
    heights.forEach((_, i) => {
      last = headers[i] as Header;
      readBlock(reading, last, receipts[i] as Receipt[]);
    });
  }
  return {
    head: { height: head, hash: last!.hash },
    pools: [...pools.values()],
    trades,
    prices: new TruthPrices(tokens, [...pools.values()]),
  };
}

interface Reading {
  tokens: TruthTokens;
  pools: Map<string, TruthPool>;
  trades: TruthTrade[];
}

function readBlock({ tokens, pools, trades }: Reading, header: Header, receipts: Receipt[]): void {
  // Trades are valued at the prices of the end of the block before: copies, because the pools move below.
  const before = new TruthPrices(
    tokens,
    [...pools.values()].map((pool) => ({ ...pool })),
  );
  for (const receipt of receipts) {
    let ofTransaction = 0;
    for (const log of receipt.logs) {
      const address = log.address.toLowerCase();
      if (address === OFFICIAL.v2Factory || address === OFFICIAL.v3Factory) {
        const pool = created(decode(factories, log));
        if (pool) pools.set(pool.address, pool);
        continue;
      }
      const found = address === V4_MANAGER ? readV4(log, pools, tokens.coin) : readPool(log, pools);
      if (found === null) continue;
      const { pool, swapped } = found;
      if (swapped === null || swapped[0] * swapped[1] >= 0n) continue;
      trades.push({
        ...valued(before, tokens, pool, swapped),
        id: `${receipt.transactionHash}-${ofTransaction++}`,
        block: Number(header.number),
        ordinal: Number(log.logIndex),
        time: Number(header.timestamp) * 1000,
        signature: receipt.transactionHash,
        wallet: receipt.from.toLowerCase(),
        pool: pool.address,
        dex: pool.dex,
      });
    }
  }
}

function readPool(
  log: ReceiptLog,
  pools: ReadonlyMap<string, TruthPool>,
): { pool: TruthPool; swapped: [bigint, bigint] | null } | null {
  const pool = pools.get(log.address.toLowerCase());
  const event = pool && decode(pool.concentrated ? concentrated : pairs, log);
  return pool && event ? { pool, swapped: apply(pool, event) } : null;
}

function created(event: Decoded | null): TruthPool | null {
  if (event === null) return null;
  const { token0, token1, pair, pool } = event.args as Record<string, string>;
  const isPair = event.name === 'PairCreated';
  return {
    address: (isPair ? pair! : pool!).toLowerCase(),
    dex: isPair ? 'Uniswap V2' : 'Uniswap V3',
    token0: token0!.toLowerCase(),
    token1: token1!.toLowerCase(),
    concentrated: !isPair,
    ...{ reserve0: 0n, reserve1: 0n, sqrtPriceX96: 0n, tick: 0, liquidity: 0n, ranges: new Map() },
  };
}

/** Moves the pool; returns what a swap put into it, less what it took out. */
function apply(pool: TruthPool, event: Decoded): [bigint, bigint] | null {
  // Ticks are the only numbers that are not bigint.
  const args = event.args as Record<string, bigint>;
  const move = (amount0: bigint, amount1: bigint): [bigint, bigint] => {
    pool.reserve0 += amount0;
    pool.reserve1 += amount1;
    return [amount0, amount1];
  };
  // Ranges are copied: the prices before the block hold the pool as it was.
  const addRange = (liquidity: bigint) => {
    const [lower, upper] = [Number(args.tickLower!), Number(args.tickUpper!)];
    const known = pool.ranges!.get(`${lower}:${upper}`)?.liquidity ?? 0n;
    pool.ranges = new Map(pool.ranges).set(`${lower}:${upper}`, { lower, upper, liquidity: known + liquidity });
  };
  const inRange = () => args.tickLower! <= pool.tick && pool.tick < args.tickUpper!;
  switch (event.name) {
    case 'Sync':
      pool.reserve0 = args.reserve0!;
      pool.reserve1 = args.reserve1!;
      return null;
    case 'Initialize':
      Object.assign(pool, { sqrtPriceX96: args.sqrtPriceX96, tick: args.tick });
      return null;
    case 'Mint':
      if (inRange()) pool.liquidity += args.amount!;
      addRange(args.amount!);
      move(args.amount0!, args.amount1!);
      return null;
    case 'Burn':
      // The tokens leave with the collect.
      if (inRange()) pool.liquidity -= args.amount!;
      addRange(-args.amount!);
      return null;
    case 'Collect':
    case 'CollectProtocol':
      move(-args.amount0!, -args.amount1!);
      return null;
    case 'Flash':
      move(args.paid0!, args.paid1!);
      return null;
    default:
      if (!pool.concentrated) return [args.amount0In! - args.amount0Out!, args.amount1In! - args.amount1Out!];
      Object.assign(pool, { sqrtPriceX96: args.sqrtPriceX96, tick: args.tick, liquidity: args.liquidity });
      return move(args.amount0!, args.amount1!);
  }
}

const ONE = 10n ** 36n;
const abs = (value: bigint): bigint => (value < 0n ? -value : value);

type Valued = 'base' | 'quote' | 'baseAmount' | 'quoteAmount' | 'side';
type Worth = 'priceUsd' | 'volumeUsd' | 'coinUsd' | 'volumeCoin' | 'counted';

function valued(
  prices: TruthPrices,
  { decimals }: TruthTokens,
  pool: TruthPool,
  [amount0, amount1]: [bigint, bigint],
): Pick<TruthTrade, Valued | Worth> {
  const { token0, token1 } = pool;
  const [level0, level1] = [prices.level(token0), prices.level(token1)];
  const base = level0 > level1 || (level0 === level1 && token0 < token1) ? token0 : token1;
  const quote = otherOf(pool, base);
  const baseIn = base === token0 ? amount0 : amount1;
  const baseAmount = abs(baseIn);
  const quoteAmount = abs(base === token0 ? amount1 : amount0);
  const side = baseIn > 0n ? 'sell' : 'buy';
  const trade = { base, quote, baseAmount, quoteAmount, side } as const;
  const { coinUsd } = prices;
  const quoteUsd = prices.usd(quote);
  if (quoteUsd === null) {
    return { ...trade, priceUsd: null, volumeUsd: null, coinUsd, volumeCoin: null, counted: false };
  }
  const baseUnit = 10n ** BigInt(decimals.get(base)!);
  const quoteUnit = 10n ** BigInt(decimals.get(quote)!);
  const priceUsd = (quoteAmount * quoteUsd * baseUnit) / (baseAmount * quoteUnit);
  const atPrice = (quoteAmount * quoteUsd) / (quoteUnit * 10n ** 18n);
  const volumeUsd = prices.level(quote) > 1 ? prices.ofAmount(quote, quoteAmount)! : atPrice;
  const exact = coinUsd === null ? null : (quoteAmount * quoteUsd * 10n ** 18n) / (quoteUnit * coinUsd);
  const volumeCoin = prices.level(quote) > 1 && coinUsd !== null ? (volumeUsd * ONE) / coinUsd : exact;
  // Ten times away from the pool's own spot after it, or below a cent, it moves no candle.
  const spot = prices.spot(pool, base);
  const paid = quoteAmount * baseUnit * ONE;
  const near =
    spot !== null && paid < spot * baseAmount * quoteUnit * 10n && paid * 10n > spot * baseAmount * quoteUnit;
  const maySetPrice =
    prices.level(quote) <= 2 &&
    prices.level(quote) < prices.level(base) &&
    prices.deepEnough(pool, quote, prices.rate(quote) ?? 0n);
  const counted = near && maySetPrice && volumeUsd >= 10n ** 16n;
  const hasPrice = maySetPrice || prices.usd(base) !== null;
  return { ...trade, priceUsd: hasPrice ? priceUsd : null, volumeUsd, coinUsd, volumeCoin, counted };
}

/** What a pool holds of money, and of its token for no more than that again, in USD at the end of the head block. */
export function liquidityUsd({ prices }: TruthMarket, { decimals }: TruthTokens, pool: TruthPool): bigint | null {
  const sides = [pool.token0, pool.token1].map((token) => {
    const valueAt = (usd: bigint | null): bigint | null =>
      usd === null ? null : (reserveOf(pool, token) * usd) / (10n ** BigInt(decimals.get(token)!) * 10n ** 18n);
    const money = prices.isMoney(token, otherOf(pool, token)) ? valueAt(prices.rate(token)) : null;
    return { money, atPrice: valueAt(prices.usd(token)) ?? 0n, ...prices.claimed(token) };
  });
  const [first, second] = sides as [(typeof sides)[0], (typeof sides)[0]];
  if (first.money !== null && second.money !== null) return first.money + second.money;
  const money = first.money ?? second.money;
  if (money === null) return null;
  const other = first.money === null ? first.atPrice : second.atPrice;
  // Twice the larger claimed share is left out.
  const shares = sides.map(({ part, whole }) => (whole === 0n ? 0n : (part * ONE) / whole));
  const share = greatest(shares[0]!, shares[1]!);
  return money + (least(other, money) * (ONE - 2n * share)) / ONE;
}
