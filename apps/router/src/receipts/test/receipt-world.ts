import type { Hex } from '#libs/core/ids.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { FactsBlock, FactsGroup, TradeFact, TransferFact } from '#libs/protocol/facts.js';
import type { QuoteReceipt } from '#libs/protocol/receipts.js';
import type { ReceiptMaker } from '../receipt-keeper.js';

/**
 * A small chain whose wallets build and sign swaps, as facts groups; reorganizations mine them again. What is built and how it
 * is signed is the family's.
 */
const BLOCK_MS = 12_000;
const GENESIS_HEIGHT = 99;
const GENESIS_TIME = 1_700_000_000_000;

/** One transaction that waits for a block, or is in one. */
export interface SignedTx {
  tx: Hex;
  trades: Pick<TradeFact, 'wallet' | 'pool' | 'base' | 'quote' | 'side' | 'baseAmount' | 'quoteAmount'>[];
  transfers: Pick<TransferFact, 'token' | 'from' | 'to' | 'amount'>[];
}

export interface WorldHead {
  height: number;
  hash: Hex;
  time: number;
}

/** What a family's wallets build. Few wallets, pools and amounts, so that builds are easily taken for one another. */
export interface WorldBuilds {
  readonly chain: string;
  readonly family: 'evm' | 'solana';
  /** The coin of the chain, as pools know it. */
  readonly coin: Hex;
  /** Bytes of a transaction's id. */
  readonly txBytes: number;
  /** How far a block's height may be from that of the one before it. */
  readonly heights: readonly number[];
  /** A build, and the transactions that were signed of it: any number, truly or nearly. */
  build(head: WorldHead): { receipt: BuildReceipt; signed: Omit<SignedTx, 'tx'>[] };
}

/** The receipt of a build of that account. */
export type BuildReceipt = (account: string, ...at: Parameters<ReceiptMaker>) => QuoteReceipt | null;

export class ReceiptWorld {
  readonly groups: FactsGroup[] = [];
  private readonly surviving: FactsBlock[] = [];
  private readonly mined = new Map<Hex, SignedTx[]>();
  private waiting: SignedTx[] = [];
  private sealed = GENESIS_HEIGHT;

  constructor(
    private readonly random: SeededRandom,
    private readonly builds: WorldBuilds,
    readonly epoch: number,
  ) {
    const { family, coin } = builds;
    const reference = {
      ...{ family, genesisHash: random.hex(32), startHeight: 100, decoderVersion: 1 },
      coin: { token: coin, symbol: 'COIN', decimals: 18 },
      stables: [],
      rules: { minQuoteUsd: 10, depegBps: 100, spotFactor: 10, dustCents: 1 },
    };
    this.groups.push({ kind: 'epoch', ...this.envelope(GENESIS_HEIGHT, '', '', GENESIS_TIME), reference });
  }

  get chain(): string {
    return this.builds.chain;
  }

  /** Blocks that were not retracted, in order. */
  get blocks(): readonly FactsBlock[] {
    return this.surviving;
  }

  get head(): WorldHead {
    return this.surviving[this.surviving.length - 1] ?? { height: GENESIS_HEIGHT, hash: '', time: GENESIS_TIME };
  }

  /** A build, which may be signed any number of times or never, truly or nearly. */
  build(): BuildReceipt {
    const { receipt, signed } = this.builds.build(this.head);
    this.waiting.push(...signed.map((each) => ({ ...each, tx: this.random.hex(this.builds.txBytes) })));
    return receipt;
  }

  /** The next group of the log. */
  grow(): FactsGroup {
    const { random } = this;
    const roll = random.next();
    if (roll < 0.12 && this.surviving.length > 0) return this.retract();
    const open = this.surviving.filter(({ height }) => height > this.sealed);
    if (roll < 0.25 && open.length > 0) {
      const { height, hash, parentHash, time } = random.pick(open);
      this.sealed = height;
      return this.append({
        kind: 'finalize',
        ...this.envelope(height, hash, parentHash, time),
        finalizedHeight: height,
      });
    }
    return this.mine();
  }

  private mine(): FactsGroup {
    const { random, head } = this;
    const hash = random.hex(32);
    const txs = this.waiting.filter(() => random.chance(0.4));
    this.waiting = this.waiting.filter((tx) => !txs.includes(tx) && !random.chance(0.02));
    this.mined.set(hash, txs);
    let ordinal = 0;
    const height = head.height + random.pick(this.builds.heights);
    const block: FactsBlock = {
      kind: 'block',
      ...this.envelope(height, hash, head.hash, head.time + BLOCK_MS * random.pick([1, 1, 1, 4])),
      trades: txs.flatMap(({ tx, trades }) =>
        trades.map((trade, txOrdinal) => ({
          ...trade,
          ...{ ordinal: ordinal++, txOrdinal, tx, venue: 'uniswap-v2', baseDecimals: 18, quoteDecimals: 18 },
          sender: trade.wallet,
          ...{ priceUsd: null, coinUsd: null, volumeUsd: null, volumeCoin: null, uncounted: 'no_price' as const },
        })),
      ),
      transfers: txs.flatMap(({ tx, transfers }) => transfers.map((one) => ({ ...one, ordinal: ordinal++, tx }))),
      ...{ tokens: [], pools: [], poolStates: [], prices: [], references: [] },
    };
    this.surviving.push(block);
    return this.append(block);
  }

  /** At times below what was sealed. */
  private retract(): FactsGroup {
    const { random } = this;
    const depth = Math.min(this.surviving.length, random.int(1, 4));
    const gone = this.surviving.splice(this.surviving.length - depth);
    for (const { hash } of gone) this.waiting.push(...this.mined.get(hash)!);
    const { height, hash, time } = this.head;
    this.sealed = Math.min(this.sealed, height);
    return this.append({
      kind: 'retract',
      ...this.envelope(height, hash, '', time),
      ...{ fromSeq: gone[0]!.seq, poolStates: [], prices: [], references: [], removedPools: [], removedTokens: [] },
    });
  }

  private append(group: FactsGroup): FactsGroup {
    this.groups.push(group);
    return group;
  }

  private envelope(height: number, hash: Hex, parentHash: Hex, time: number) {
    const { chain, epoch } = this;
    return { chain, epoch, seq: this.groups.length, height, hash, parentHash, time, inputHash: '00'.repeat(16) };
  }
}

/** A swap of a pool, with either token as its base. */
export function trade(
  random: SeededRandom,
  wallet: Hex,
  pool: Hex,
  [from, to]: readonly [Hex, Hex],
  [into, out]: readonly [bigint, bigint],
): SignedTx['trades'][0] {
  return random.chance(0.5)
    ? { wallet, pool, side: 'sell', base: from, quote: to, baseAmount: into, quoteAmount: out }
    : { wallet, pool, side: 'buy', base: to, quote: from, baseAmount: out, quoteAmount: into };
}

export const uuid = (random: SeededRandom): string =>
  random.hex(16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
