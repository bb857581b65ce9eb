import { SeededRandom } from '#libs/devkit/chain-builder/random.js';

/** What a node leaves out or tells otherwise than the chain has it. */
export const lieKinds = ['omit', 'alter', 'omit-block', 'swap'] as const;
export type LieKind = (typeof lieKinds)[number];

export interface LiarOptions {
  kind: LieKind;
  /** Share of the blocks. */
  rate: number;
  seed: number;
  /** Whether it tells one block always the same; otherwise each answer is drawn by itself. */
  steady: boolean;
}

export interface Call {
  method: string;
  params: unknown[];
}

export type Ask = (call: Call) => Promise<unknown>;
type Block = Record<string, unknown> & { parentSlot: number; previousBlockhash: string };
type Amount = { uiTokenAmount: { amount: string } };

/** Answers in the place of a node, given what it says. */
export interface Answering {
  alter(call: Call, answer: { result?: unknown; error?: unknown }, ask: Ask): Promise<object>;
}

/** Alters a node's answers about blocks, and counts the blocks that it altered. */
export class Liar implements Answering {
  /** Nothing below or above these slots is altered. */
  from = 1;
  upTo = Number.POSITIVE_INFINITY;
  /** Slots between these that are answered as they are. */
  spared: readonly number[] = [];
  readonly told = new Set<number>();
  private readonly random: SeededRandom;

  constructor(private readonly options: LiarOptions) {
    this.random = new SeededRandom(options.seed);
  }

  async alter(call: Call, answer: { result?: unknown; error?: unknown }, ask: Ask): Promise<object> {
    const slot = call.params[0] as number;
    const { kind } = this.options;
    if (/^getBlocks/.test(call.method) && kind === 'omit-block' && Array.isArray(answer.result)) {
      const omitted = answer.result.filter((each: number) => this.lies(each));
      for (const each of omitted) this.told.add(each);
      return { ...answer, result: answer.result.filter((each: number) => !omitted.includes(each)) };
    }
    if (call.method !== 'getBlock' || !answer.result) return answer;
    const block = answer.result as Block;
    if (kind === 'omit-block') return this.withoutBlock(slot, block, answer, ask);
    if (!this.lies(slot)) return answer;
    const random = new SeededRandom(this.options.seed ^ slot);
    return { ...answer, result: this.altered(random, slot, block) };
  }

  private lies(slot: number): boolean {
    const { steady, rate, seed } = this.options;
    if (slot < this.from || slot > this.upTo || this.spared.includes(slot)) return false;
    return (steady ? new SeededRandom(seed * 7 + slot) : this.random).chance(rate);
  }

  private altered(random: SeededRandom, slot: number, block: Block): Block {
    const name = 'signatures' in block ? 'signatures' : 'transactions';
    const list = block[name] as unknown[] | undefined;
    if (list === undefined || list.length === 0) return block;
    const at = random.int(list.length);
    const { kind } = this.options;
    if (kind === 'omit') {
      this.told.add(slot);
      return { ...block, [name]: list.filter((_, n) => n !== at) };
    }
    if (kind === 'swap') {
      if (list.length < 2) return block;
      this.told.add(slot);
      const first = at === list.length - 1 ? at - 1 : at;
      const swapped = [...list];
      swapped.splice(first, 2, list[first + 1], list[first]);
      return { ...block, [name]: swapped };
    }
    return name === 'transactions' ? { ...block, [name]: this.richer(list, slot) } : block;
  }

  /** One token account holds one unit more after the last transaction that names any. */
  private richer(list: unknown[], slot: number): unknown[] {
    const at = list.findLastIndex((entry) => {
      return ((entry as { meta: { postTokenBalances: Amount[] } }).meta.postTokenBalances ?? []).length > 0;
    });
    if (at < 0) return list;
    this.told.add(slot);
    const copy = structuredClone(list) as { meta: { postTokenBalances: Amount[] } }[];
    const { uiTokenAmount } = copy[at]!.meta.postTokenBalances[0]!;
    uiTokenAmount.amount = String(BigInt(uiTokenAmount.amount) + 1n);
    return copy;
  }

  private async withoutBlock(slot: number, block: Block, answer: object, ask: Ask): Promise<object> {
    if (this.lies(slot)) {
      this.told.add(slot);
      const message = `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`;
      return { ...answer, result: undefined, error: { code: -32007, message } };
    }
    let { parentSlot, previousBlockhash } = block;
    while (parentSlot > 0 && this.lies(parentSlot)) {
      const config = { commitment: 'confirmed', transactionDetails: 'none', rewards: false };
      const parent = (await ask({ method: 'getBlock', params: [parentSlot, config] })) as { result?: Block };
      if (!parent.result) break;
      ({ parentSlot, previousBlockhash } = parent.result);
    }
    return { ...answer, result: { ...block, parentSlot, previousBlockhash } };
  }
}
