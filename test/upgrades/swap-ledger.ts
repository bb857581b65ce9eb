import type { ChainBuilder } from '#libs/devkit/chain-builder/chain-builder.js';
import { OFFICIAL } from '#libs/devkit/chain-builder/official-addresses.js';
import type { TradeBody } from '#libs/serve/contract/rest/trade-body.js';
import { type Marks, OTHER_DIGIT } from './versions.js';

const PAIR_CREATED = '0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9';
const POOL_CREATED = '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118';
const PAIR_SWAP = '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822';
const POOL_SWAP = '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67';

interface Swap {
  id: string;
  sender: string;
  /** What moved of either token. */
  amounts: readonly [bigint, bigint];
}

/** Every swap of a token, from the receipts of a chain and nothing else: what rows are compared with, at any block. */
export class SwapLedger {
  private readonly pools = new Map<string, { token0: string; token1: string; isTraded: boolean }>();
  private readonly byBlock = new Map<string, Swap[]>();

  constructor(
    private readonly chain: ChainBuilder,
    readonly token: string,
  ) {}

  /** Newest first; null where no such block was ever made. */
  at(hash: string): Swap[] | null {
    if (this.chain.blockByHash(hash) === null) return null;
    const swaps: Swap[] = [];
    for (const block of this.chain.pathTo(hash)) {
      const known = this.byBlock.get(block.hash) ?? this.read(block);
      this.byBlock.set(block.hash, known);
      swaps.push(...known);
    }
    return swaps.reverse();
  }

  private read({ receipts }: { receipts: ReturnType<ChainBuilder['mine']>[number]['receipts'] }): Swap[] {
    const swaps: Swap[] = [];
    for (const receipt of receipts) {
      let number = 0;
      for (const { address, topics, data } of receipt.logs) {
        const from = address.toLowerCase();
        const words = data.slice(2).match(/.{64}/g) ?? [];
        if (from === OFFICIAL.v2Factory && topics[0] === PAIR_CREATED) this.record(words[0]!, topics);
        else if (from === OFFICIAL.v3Factory && topics[0] === POOL_CREATED) this.record(words[1]!, topics);
        const pool = this.pools.get(from);
        if (pool === undefined || !pool.isTraded || (topics[0] !== PAIR_SWAP && topics[0] !== POOL_SWAP)) continue;
        const [first, second] = moved(topics[0]!, words);
        if (first === 0n || second === 0n || first > 0n === second > 0n) continue; // no trade either
        const id = `${receipt.transactionHash}-${number++}`;
        if (pool.token0 !== this.token && pool.token1 !== this.token) continue;
        swaps.push({ id, sender: receipt.from.toLowerCase(), amounts: [absolute(first), absolute(second)] });
      }
    }
    return swaps;
  }

  private record(pool: string, topics: string[]): void {
    const [token0, token1] = [topics[1]!, topics[2]!].map((topic) => `0x${topic.slice(26)}`.toLowerCase());
    const isTraded = this.hasDecimals(token0!) && this.hasDecimals(token1!);
    this.pools.set(`0x${pool.slice(24)}`.toLowerCase(), { token0: token0!, token1: token1!, isTraded });
  }

  /** A swap of a token without sensible decimals is no trade. */
  private hasDecimals(token: string): boolean {
    try {
      return BigInt(this.chain.call(token, '0x313ce567')) <= 36n;
    } catch {
      return false;
    }
  }
}

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

/** Of either token, into the pool. */
function moved(topic: string, words: string[]): [bigint, bigint] {
  const amounts = words.map((word) => BigInt.asIntN(256, BigInt(`0x${word}`)));
  if (topic === POOL_SWAP) return [amounts[0]!, amounts[1]!];
  return [amounts[0]! - amounts[2]!, amounts[1]! - amounts[3]!];
}

/** The digits of an amount, however many decimals it is written with. */
const digits = (amount: bigint | string): string =>
  String(amount).replace('.', '').replace(/^0+/, '').replace(/0+$/, '');

/** How much more the row says of its base token than moved; null where it says something else. */
function moreIn({ tokenAmount, quoteAmount }: TradeBody, [first, second]: Swap['amounts']): 0 | 1 | null {
  const said = [digits(tokenAmount), digits(quoteAmount)].sort().join();
  const is = (a: bigint, b: bigint): boolean => [digits(a), digits(b)].sort().join() === said;
  if (is(first, second)) return 0;
  return is(first + 1n, second) || is(first, second + 1n) ? 1 : null;
}

/**
 * What is wrong with rows that were answered for a block, newest first; all of them, or the newest only. They must be of one
 * fold, and only the newest ones of newer decoders, which continue the served epoch; all of `marks` where it is known which.
 */
export function rowProblem(
  rows: readonly TradeBody[],
  expected: readonly Swap[],
  options: { whole: boolean; marks?: Marks },
): string | null {
  const wanted = options.whole ? expected : expected.slice(0, rows.length);
  if (rows.length !== wanted.length) return `${rows.length} rows instead of ${wanted.length}`;
  const senders = new Set<boolean>();
  const more = new Set<0 | 1>();
  for (const [index, row] of rows.entries()) {
    const { id, sender, amounts } = wanted[index]!;
    if (row.id !== id) return `row ${index} is ${row.id} instead of ${id}`;
    const shown = moreIn(row, amounts);
    if (shown === null)
      return `row ${index} has amounts ${row.tokenAmount} and ${row.quoteAmount} instead of ${amounts}`;
    more.add(shown);
    const said = (row.sender ?? '').toLowerCase();
    const other = `0x${OTHER_DIGIT}${sender.slice(3)}`;
    if (said !== sender && said !== other) return `row ${index} has sender ${said} instead of ${sender}`;
    if (sender === other) continue;
    if (senders.has(false) && said === other) return `row ${index} is older than one of the decoders before`;
    senders.add(said === other);
  }
  if (more.size > 1) return `rows of two versions (amounts +${[...more]})`;
  const { marks } = options;
  if (marks === undefined || rows.length === 0) return null;
  const [shownMore = marks.more] = more;
  if (!senders.has(!marks.otherSenders) && shownMore === marks.more) return null;
  return `rows of another version (amounts +${shownMore}, other senders ${[...senders]})`;
}
