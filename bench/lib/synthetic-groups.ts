import { randomBytes } from 'node:crypto';
import { backingText } from '#libs/pipeline/fold/backing.js';
import type { BlockGroup, ChainEvent } from '#libs/protocol/blocks.js';
import type { FactsBlock } from '#libs/protocol/facts.js';

/**
 * Groups with the shape of a busy chain's traffic: random ids and amounts of realistic sizes, a limited set of pools and
 * wallets. They load codecs and tables as real ones would; they are no chain and make no sense to a fold.
 */
const POOLS = 60;
const WALLETS = 400;
/** Trades of one block. */
const TRADES = 100;

const id = (bytes: number) => randomBytes(bytes).toString('hex');
const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)]!;
const amount = (bytes: number) => BigInt(`0x${id(bytes)}`);

const pools = Array.from({ length: POOLS }, () => ({ pool: id(20), token0: id(20), token1: id(20) }));
const wallets = Array.from({ length: WALLETS }, () => id(20));
const coinUsd = 3000n * 10n ** 36n;

function envelope(seq: number) {
  return {
    chain: 'eth',
    epoch: 1,
    seq,
    height: 19_000_000 + seq,
    hash: id(32),
    parentHash: id(32),
    time: 1_700_000_000_000 + seq * 12_000,
  };
}

/** Every trade is a transaction of two transfers and a swap; every other one is on constant product, with reserves. */
export function syntheticBlock(seq: number): BlockGroup {
  const events: ChainEvent[] = [];
  const txs = Array.from({ length: TRADES }, (_, index) => ({ id: id(32), index, sender: pick(wallets) }));
  let ordinal = 0;
  for (let tx = 0; tx < TRADES; tx++) {
    const { pool, token0, token1 } = pick(pools);
    const wallet = txs[tx]!.sender;
    const amount0 = amount(9);
    const amount1 = amount(8);
    const swap = { kind: 'swap', tx, pool, amount0, amount1: -amount1, sender: wallet, recipient: wallet } as const;
    events.push({ kind: 'transfer', tx, ordinal: ordinal++, token: token0, from: wallet, to: pool, amount: amount0 });
    events.push({ kind: 'transfer', tx, ordinal: ordinal++, token: token1, from: pool, to: wallet, amount: amount1 });
    if (tx % 2 === 0) {
      events.push({ kind: 'reserves', tx, ordinal: ordinal++, pool, reserve0: amount(11), reserve1: amount(10) });
      events.push({ ...swap, ordinal: ordinal++, after: null });
    } else {
      const after = { sqrtPriceX96: amount(14), liquidity: amount(10), tick: -190_000 + tx };
      events.push({ ...swap, ordinal: ordinal++, after });
    }
  }
  const envelopeAndSource = { ...envelope(seq), source: 'history', observedAt: 1_700_000_000_000 } as const;
  return { kind: 'block', ...envelopeAndSource, txs, tokens: [], pools: [], events, anchors: [] };
}

export function syntheticFacts(block: BlockGroup): FactsBlock {
  const { chain, epoch, seq, height, hash, parentHash, time } = block;
  const facts: FactsBlock = {
    kind: 'block',
    ...{ chain, epoch, seq, height, hash, parentHash, time },
    inputHash: id(16),
    trades: [],
    transfers: [],
    tokens: [],
    pools: [],
    poolStates: [],
    prices: [],
    references: [],
  };
  for (const event of block.events) {
    const tx = block.txs[event.tx]!;
    if (event.kind === 'transfer') {
      const { ordinal, token, from, to } = event;
      facts.transfers.push({ ordinal, tx: tx.id, token, from, to, amount: event.amount });
    } else if (event.kind === 'swap') {
      const { token0, token1 } = pools.find((candidate) => candidate.pool === event.pool)!;
      facts.trades.push({
        ordinal: event.ordinal,
        txOrdinal: 0,
        tx: tx.id,
        wallet: tx.sender,
        sender: tx.sender,
        pool: event.pool,
        venue: event.after === null ? 'uniswap-v2' : 'uniswap-v3',
        base: token0,
        quote: token1,
        baseDecimals: 18,
        quoteDecimals: 18,
        side: 'sell',
        baseAmount: event.amount0,
        quoteAmount: -event.amount1,
        priceUsd: amount(16),
        coinUsd,
        volumeUsd: amount(9),
        volumeCoin: amount(8),
        uncounted: null,
      });
      facts.poolStates.push({
        pool: event.pool,
        reserve0: amount(11),
        reserve1: amount(10),
        concentrated: null,
        anchored: true,
        setApart: null,
      });
      const price = { pool: event.pool, quote: token1, spot: amount(15) };
      const curve = { form: 'product', base: amount(10), quote: amount(11) } as const;
      const backing = backingText({ decimals: 18, pooled: 0n, parts: [{ ...price, quoteDecimals: 18, curve }] });
      facts.prices.push({ token: token0, ...price, level: 2, backing });
    }
  }
  return facts;
}
