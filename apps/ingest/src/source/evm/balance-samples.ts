import { LRUCache } from 'lru-cache';
import type { ContractCall, ContractReader } from '#libs/chain/chains/evm/contract-reader.js';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import { encodeAddress, ZERO_ADDRESS } from '#libs/chain/chains/evm/words.js';
import type { SourceBlock } from '#libs/chain/chains/source-port.js';
import type { Hex } from '#libs/core/ids.js';
import type { BalanceSample } from '#libs/protocol/blocks.js';

/** balanceOf(address). */
const BALANCE_OF = '70a08231';
const WORD_DIGITS = 64;

/** Wallets that one block's question is about for the first time, at most. */
const MOST_ASKED = 8;
/** Of these, those that were asked about before and may have changed without a transfer since. */
const MOST_AGAIN = 2;
/** No more than one question in this much block time. */
const EVERY_MS = 2_000;
/** A token is asked about again after this much block time, then after twice as much, and so on. */
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** A question whose answers came too late is asked again after this much. */
const LATE_PAUSE_MS = 6_000;
/** A wallet is asked about again, without a transfer, after this much block time. */
const AGAIN_MS = 600_000;
const MOST_TOKENS = 20_000;
const MOST_WALLETS = 4_096;

interface Pair {
  readonly token: Hex;
  readonly wallet: Hex;
}

interface Pause {
  readonly length: number;
  readonly until: number;
}

interface Asked {
  readonly hash: Hex;
  readonly time: number;
  /** Those that were due. */
  readonly tokens: ReadonlySet<Hex>;
  /** Without those that were asked a second time. */
  readonly fresh: readonly Pair[];
  /** Null until the answers are here. */
  samples: BalanceSample[] | null;
}

interface Choice {
  readonly fresh: Pair[];
  readonly tokens: ReadonlySet<Hex>;
}

/**
 * Asks what wallets hold at the end of a block of the head, so that the next one can say it: by their sums of transfers the
 * fold sees which tokens move amounts without any. Each wallet is asked about once more soon after, since one answer alone proves
 * nothing (`holders`). Invariant: no block waits for an answer, and none holds one about another
 * block than the one below it; what does not come in time, or what two nodes do not agree on, is left out.
 */
export class BalanceSamples {
  private readonly pauses = new LRUCache<Hex, Pause>({ max: MOST_TOKENS });
  /** Wallets that were asked about, the oldest first, with the block time. */
  private readonly before: (Pair & { readonly at: number })[] = [];
  /** Those of the last answers that came in time, to be asked about once more. */
  private repeated: readonly Pair[] = [];
  private askedAt = Number.NEGATIVE_INFINITY;
  private asked: Asked | null = null;

  /** @param endpoints None: nothing is asked, as in an epoch of other decoders. */
  constructor(
    private readonly reader: ContractReader,
    private readonly endpoints: readonly RpcEndpoint[],
  ) {}

  /** The block with what is known of the end of the one below it. */
  beside(block: SourceBlock): SourceBlock {
    const { asked } = this;
    if (asked === null || asked.hash !== block.parentHash || asked.samples === null) return block;
    for (const token of asked.tokens) this.pause(token, asked.time);
    this.repeated = asked.fresh;
    return asked.samples.length === 0 ? block : { ...block, samples: asked.samples };
  }

  /** @param node Place of the node that gave the block. */
  async ask(block: SourceBlock, node: number, signal: AbortSignal): Promise<void> {
    this.asked = null;
    if (this.endpoints.length === 0) return;
    // A block below the one before is of another branch: its time counts again from there.
    if (block.time >= this.askedAt && block.time - this.askedAt < EVERY_MS) return;
    const { fresh, tokens } = this.choose(block);
    const pairs = [...this.repeated, ...fresh];
    if (pairs.length === 0) return;
    this.askedAt = block.time;
    const asked: Asked = { hash: block.hash, time: block.time, tokens, fresh, samples: null };
    this.asked = asked;
    try {
      asked.samples = await this.read(pairs, block, node, signal);
    } catch {
      // A node that does not answer is noticed where blocks need it.
    }
  }

  /** Wallets of this block's transfers whose tokens are due, and some of earlier ones. */
  private choose({ events, time }: SourceBlock): Choice {
    const fresh: Pair[] = [];
    const due = new Set<Hex>();
    for (const event of events) {
      if (fresh.length >= MOST_ASKED - MOST_AGAIN) break;
      if (event.kind !== 'transfer' || event.amount === 0n) continue;
      const { token, from, to } = event;
      if (due.has(token) || time < (this.pauses.get(token)?.until ?? 0)) continue;
      due.add(token);
      for (const wallet of from === to ? [to] : [to, from]) if (wallet !== ZERO_ADDRESS) fresh.push({ token, wallet });
    }
    // The pause grows once the answers are in a block.
    for (const token of due)
      this.pauses.set(token, { length: this.pauses.get(token)?.length ?? 0, until: time + LATE_PAUSE_MS });
    for (let n = 0; n < MOST_AGAIN && this.before.length > 0 && this.before[0]!.at <= time - AGAIN_MS; n++) {
      fresh.push(this.before.shift()!);
    }
    for (const { token, wallet } of fresh) this.before.push({ token, wallet, at: time });
    if (this.before.length > MOST_WALLETS) this.before.splice(0, this.before.length - MOST_WALLETS);
    return { fresh, tokens: due };
  }

  private pause(token: Hex, time: number): void {
    const before = this.pauses.get(token);
    const length =
      before === undefined || before.length === 0 ? FIRST_PAUSE_MS : Math.min(before.length * 2, LONGEST_PAUSE_MS);
    this.pauses.set(token, { length, until: time + length });
  }

  /** By the node that gave the block; where there are more nodes, another one has to say the same. */
  private async read(
    pairs: readonly Pair[],
    { hash, height }: SourceBlock,
    node: number,
    signal: AbortSignal,
  ): Promise<BalanceSample[]> {
    const { endpoints, reader } = this;
    const others = endpoints.filter(({ index }) => index !== node);
    const witness = others[height % Math.max(1, others.length)];
    const calls = pairs.map(
      ({ token, wallet }): ContractCall => ({ to: token, data: `${BALANCE_OF}${encodeAddress(wallet)}` }),
    );
    const at = { blockHash: `0x${hash}` };
    const nodes = [endpoints.find(({ index }) => index === node), witness].filter((each) => each !== undefined);
    const [first, ...rest] = await Promise.all(nodes.map((endpoint) => reader.read(endpoint, calls, at, signal)));
    return pairs.flatMap(({ token, wallet }, index) => {
      const answer = first?.[index] ?? null;
      if (answer === null || answer.length !== WORD_DIGITS) return [];
      if (rest.some((other) => other[index] !== answer)) return [];
      return { token, wallet, amount: BigInt(`0x${answer}`) };
    });
  }
}
