import { randomBytes } from 'node:crypto';
import type { Hex } from '#libs/core/ids.js';
import { pow10 } from '#libs/core/money.js';
import { backingText } from '#libs/pipeline/fold/backing.js';
import type { PriceRules } from '#libs/protocol/blocks.js';
import type { FactsBlock, FactsEpoch, PoolStateFact, PriceFact, TradeFact } from '#libs/protocol/facts.js';

/**
 * Facts of a market with many tokens, of which few are traded a lot: every token has a pool against the coin, and a block
 * trades in pools drawn from a long tail. Amounts are of realistic sizes; they are not the arithmetic of a curve.
 */
const id = (bytes: number): Hex => randomBytes(bytes).toString('hex');

export interface WideMarketOptions {
  coin: Hex;
  rules: PriceRules;
  tokens: number;
  tradesPerBlock: number;
  blockMs: number;
  wallets: number;
}

export class WideMarket {
  private readonly pools: { token: Hex; pool: Hex }[];
  private readonly wallets: Hex[];
  private seq = 0;
  private hash = id(32);
  private readonly startTime = Date.UTC(2026, 0, 1);

  constructor(private readonly options: WideMarketOptions) {
    this.pools = Array.from({ length: options.tokens }, () => ({ token: id(20), pool: id(20) }));
    this.wallets = Array.from({ length: options.wallets }, () => id(20));
  }

  /** Tokens, those that are traded most first. */
  byTurnover(): Hex[] {
    return this.pools.map(({ token }) => token);
  }

  opening(): FactsEpoch {
    const { coin } = this.options;
    return {
      kind: 'epoch',
      ...this.envelope(),
      inputHash: id(16),
      reference: {
        ...{ family: 'evm', genesisHash: id(32), startHeight: 1, decoderVersion: 1, stables: [] },
        coin: { token: coin, symbol: 'WETH', decimals: 18 },
        rules: this.options.rules,
      },
    };
  }

  /** Names every token and its pool, with a first price and depth for each. */
  first(): FactsBlock {
    const block = this.empty();
    const record = (token: Hex, symbol: string) => ({
      token,
      decimals: 18,
      symbol,
      name: `Token ${symbol}`,
      totalSupply: 10n ** 27n,
    });
    block.tokens.push(record(this.options.coin, 'WETH'));
    this.pools.forEach(({ token, pool }, index) => {
      block.tokens.push(record(token, `T${index.toString(36).toUpperCase()}`));
      const kind = 'constant-product' as const;
      const sides = { token0: token, token1: this.options.coin, feePpm: 3000, tickSpacing: 0, created: true };
      block.pools.push({ pool, venue: 'uniswap-v2', kind, ...sides });
      this.state(block, index);
    });
    block.references.push({ token: this.options.coin, usd: 3_000n * pow10(36) });
    return block;
  }

  next(): FactsBlock {
    const block = this.empty();
    for (let i = 0; i < this.options.tradesPerBlock; i++) {
      // A share u of the draws falls into the first u³ of the pools.
      const index = Math.floor(Math.random() ** 3 * this.pools.length);
      block.trades.push(this.trade(index, i));
      this.state(block, index);
    }
    block.references.push({ token: this.options.coin, usd: 3_000n * pow10(36) + BigInt(this.seq) });
    return block;
  }

  private state(block: FactsBlock, index: number): void {
    const { token, pool } = this.pools[index]!;
    const [reserve0, reserve1] = [BigInt(`0x${id(11)}`), BigInt(`0x${id(8)}`)];
    const state: PoolStateFact = { pool, reserve0, reserve1, concentrated: null, anchored: true, setApart: null };
    const part = { pool, quote: this.options.coin, spot: BigInt(`0x${id(13)}`) };
    const curve = { form: 'product', base: reserve0, quote: reserve1 } as const;
    const backing = backingText({ decimals: 18, pooled: 0n, parts: [{ ...part, quoteDecimals: 18, curve }] });
    const price: PriceFact = { token, ...part, level: 2, backing };
    // Facts hold one row a pool and a token in each block.
    const known = block.trades.length === 0 ? -1 : block.poolStates.findIndex((candidate) => candidate.pool === pool);
    if (known < 0) {
      block.poolStates.push(state);
      block.prices.push(price);
    } else {
      block.poolStates[known] = state;
      block.prices[known] = price;
    }
  }

  private trade(index: number, ordinal: number): TradeFact {
    const { token, pool } = this.pools[index]!;
    const wallet = this.wallets[Math.floor(Math.random() * this.wallets.length)]!;
    return {
      ...{
        ordinal,
        txOrdinal: 0,
        tx: id(32),
        wallet,
        sender: wallet,
        pool,
        venue: 'uniswap-v2',
        base: token,
        quote: this.options.coin,
      },
      ...{ baseDecimals: 18, quoteDecimals: 18, side: Math.random() < 0.5 ? 'buy' : 'sell' },
      ...{ baseAmount: BigInt(`0x${id(10)}`), quoteAmount: BigInt(`0x${id(8)}`), uncounted: null },
      ...{ priceUsd: BigInt(`0x${id(14)}`), coinUsd: 3_000n * pow10(36) },
      ...{ volumeUsd: BigInt(`0x${id(8)}`), volumeCoin: BigInt(`0x${id(7)}`) },
    };
  }

  private empty(): FactsBlock {
    const lists = { trades: [], transfers: [], tokens: [], pools: [], poolStates: [], prices: [], references: [] };
    return { kind: 'block', ...this.envelope(), inputHash: id(16), ...lists };
  }

  private envelope() {
    const seq = this.seq++;
    const parentHash = this.hash;
    this.hash = id(32);
    const time = this.startTime + seq * this.options.blockMs;
    return { chain: 'eth', epoch: 1, seq, height: seq, hash: this.hash, parentHash, time };
  }
}
