import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import { readDigest, sameAnswer } from '#libs/chain/chains/solana/rpc/block-digest.js';
import { isMissing, type SignedHeader, type SolanaEndpoint } from '#libs/chain/chains/solana/rpc/endpoint.js';
import type { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import type { SourceObserver } from '#libs/chain/chains/source-port.js';
import type { RecentAnswer, RecentAnswers } from '../recent-answers.js';
import { answerOf } from './block-places.js';
import { type BlockReader, FEED, type ReadBlock } from './block-reader.js';
import { decide, sameTransactions, type Version } from './block-versions.js';
import { type Dispute, UncheckedBlocks } from './unchecked-blocks.js';

export interface CheckOptions {
  /** On average one block of so many is compared whole with another node's; 0 switches it off. */
  sampleEvery: number;
  /** Compare the signatures of every block of history with another node's, before it is published. */
  checkHistory: boolean;
  /** Compare the signatures of every block at the head with another node's, after it is published. */
  checkHead: boolean;
  /** Pause before a node that does not have a block yet is asked again for its signatures. */
  behindMs: number;
  /** How long a node is not asked first after a false answer. */
  distrustMs: number;
}

export interface SecondOpinionsDeps {
  readonly rpc: SolanaPool;
  readonly reader: BlockReader;
  readonly recent: RecentAnswers;
  readonly options: CheckOptions;
  /** Slots that are listed with one question. */
  readonly slotsPerList: number;
  readonly observer: Pick<SourceObserver, 'distrusted' | 'doubtful'>;
  /** Something is to be settled before more is published. */
  readonly onTrouble: () => void;
}

/** How the answer of one node for a block compares with the others. */
export interface Verdict {
  /** Null where no other node answers, or nothing decides. */
  readonly stands: boolean | null;
  /** Nodes that answered the same. */
  readonly confirmedBy: number;
  /** Whether another node answered at all. */
  readonly heard: boolean;
}

export interface Question {
  readonly answer: RecentAnswer;
  /** Whether the answer fits all that is known besides. */
  readonly ownFits: boolean;
  /** The same for another node's. */
  readonly fits?: (other: ReadBlock) => boolean;
  /** The slot is final: a block of another hash is no fork. */
  readonly final: boolean;
}

/** A node that does not have a block yet is asked so often. */
const TRIES = 6;
/** Published blocks that wait to be compared, at most. */
const MOST_WAITING = 64;
const PARALLEL_READS = 4;

/**
 * What other nodes answer for the blocks of one node. Nothing on Solana proves a block by itself, so the signatures of each
 * one are compared, and samples whole: in history before a block is published, at the head after it, so that no reader waits
 * for the slower node. Where nodes differ, more than half of them decide; else the fuller answer: what one
 * node left out, the other has; else what fits the blocks before. What nothing decides stays as it is, and is shown.
 *
 * A node with a false answer is not asked first for a while, and all that was taken of it lately is compared again. A comparison that no
 * other node answers is made up for later.
 */
export class SecondOpinions {
  private nextSample = Number.NEGATIVE_INFINITY;
  /** Slot of the last block that another node confirmed. */
  private confirmed = Number.NEGATIVE_INFINITY;
  /** Nodes whose blocks are to be compared again. */
  private readonly fallen = new Set<number>();
  /** Until when a node with a false answer is not asked first; by `performance.now()`. */
  private readonly distrustedUntil = new Map<number, number>();
  private readonly disputes: Dispute[] = [];
  private readonly waiting: ReadBlock[] = [];
  /** Slots of history that no other node answered for. */
  private readonly unanswered = new Set<number>();
  private readonly unchecked: UncheckedBlocks;
  private checking = false;
  private failure: unknown = null;

  constructor(private readonly deps: SecondOpinionsDeps) {
    const { rpc, reader, recent, options, slotsPerList } = deps;
    this.unchecked = new UncheckedBlocks({
      ...{ rpc, reader, recent, slotsPerList, pauseMs: options.behindMs },
      otherThan: (node) => this.secondTo(node),
      onConfirmed: (slot) => this.confirm(slot),
      onDispute: (dispute) => this.dispute(dispute),
      onFailure: (error) => this.fail(error),
    });
  }

  /** How blocks near a slot are checked: whether another node confirmed one of them lately. */
  proofAt(slot: number): 'sampled' | 'none' {
    const { sampleEvery } = this.deps.options;
    return Math.abs(slot - this.confirmed) <= 2 * Math.max(sampleEvery, 1) ? 'sampled' : 'none';
  }

  /** Whether anything is to be settled before more is published. */
  get troubled(): boolean {
    return this.fallen.size > 0 || this.disputes.length > 0 || this.failure !== null;
  }

  /**
   * A block of history, and what another node says of it, asked for at the same time. Throws `inconsistent-response` where
   * the others say that the block is another one.
   */
  async read(endpoint: SolanaEndpoint, slot: number, signal: AbortSignal): Promise<ReadBlock> {
    const whole = this.isDue(slot);
    const { rpc, reader, options } = this.deps;
    const asked = rpc.endpoints.length > 1 && (whole || options.checkHistory);
    const [read, same] = await Promise.all([
      reader.read(endpoint, slot, signal),
      asked ? this.othersSay(endpoint.index, slot, whole, signal) : null,
    ]);
    if (same === null) {
      if (asked) this.unanswered.add(slot);
    } else if (same(read)) this.confirm(slot);
    else {
      const { stands } = await this.judge({ answer: answerOf(read), ownFits: true, final: true }, signal);
      if (stands === false)
        throw endpoint.error('inconsistent-response', `block ${slot} differs from that of other nodes`);
    }
    return read;
  }

  /** Whether a block is the one that the first other node has which answers; null where none does. */
  private async othersSay(
    node: number,
    slot: number,
    whole: boolean,
    signal: AbortSignal,
  ): Promise<((read: ReadBlock) => boolean) | null> {
    const { rpc } = this.deps;
    const need = { what: 'blocks', height: slot };
    for (const other of this.othersThan(node)) {
      if (rpc.isLacking(other, need)) continue;
      if (whole) {
        const told = await this.readOf(other, slot, signal);
        if (told !== null) return (read) => sameAnswer(told.digest, read.digest);
      } else {
        const signed = await this.unlessItFails(rpc.on(other, (each) => each.signatures(slot, signal), signal, need));
        if (signed !== null) return (read) => signed.hash === read.block.hash && sameTransactions(read, signed);
      }
    }
    return null;
  }

  /** Compares in its own time what was published: at the head each block, in history what had no answer, and gaps. */
  later(read: ReadBlock, atHead: boolean, signal: AbortSignal): void {
    const answer = answerOf(read);
    if (!atHead) {
      if (this.unanswered.delete(answer.height)) this.unchecked.addBlock(answer, false);
      else this.unchecked.addGap(answer, read.block.parentSlot);
    } else if (this.deps.options.checkHead && read.digest !== '') {
      this.waiting.push(read);
      if (this.waiting.length > MOST_WAITING) this.unchecked.addBlock(answerOf(this.waiting.shift()!), false);
    }
    this.work(signal);
  }

  /** The source starts again; what is still to be compared stays so. */
  restart(signal: AbortSignal): void {
    this.failure = null;
    this.unanswered.clear();
    this.work(signal);
  }

  /** The node gave a false answer: it is not asked first for a while, and its blocks are to be compared. */
  distrust(node: number, reason: string): void {
    if (this.distrusts(node)) return;
    const { rpc, options, observer } = this.deps;
    const endpoint = rpc.endpoints[node];
    if (endpoint === undefined) observer.distrusted?.(`what is pushed is not what the nodes tell: ${reason}`);
    else rpc.blame(endpoint, endpoint.error('inconsistent-response', reason), options.distrustMs);
    this.distrustedUntil.set(node, performance.now() + options.distrustMs);
    this.fallen.add(node);
    if (rpc.usable.every(({ index }) => this.distrusts(index))) this.trustAgain();
    this.deps.onTrouble();
  }

  /** Where each node speaks against another one, none is put back behind the others: nothing would be read at all. */
  private trustAgain(): void {
    for (const endpoint of this.deps.rpc.endpoints) {
      this.distrustedUntil.delete(endpoint.index);
      endpoint.wake();
    }
  }

  distrusts(node: number): boolean {
    return (this.distrustedUntil.get(node) ?? 0) > performance.now();
  }

  /** A failure of a node that is distrusted does not bring it back sooner. */
  private hold(): void {
    for (const endpoint of this.deps.rpc.endpoints) {
      const until = this.distrustedUntil.get(endpoint.index) ?? 0;
      if (until > performance.now()) endpoint.restUntil(until);
    }
  }

  /** Settles what is open. The lowest published slot with a false answer; null where all that is published is valid. */
  async settle(final: (slot: number) => boolean, signal: AbortSignal): Promise<number | null> {
    if (this.failure !== null) throw this.failure;
    this.hold();
    let lowest: number | null = null;
    for (const { answer, suspect } of this.disputes.splice(0)) {
      if (this.deps.recent.at(answer.height)?.digest !== answer.digest) continue;
      const question = { answer, ownFits: !suspect, final: final(answer.height) };
      const { stands, heard } = await this.judge(question, signal);
      if (stands === false) lowest = Math.min(answer.height, lowest ?? answer.height);
      if (!heard) this.unchecked.addBlock(answer, suspect);
    }
    for (const node of [...this.fallen]) {
      this.fallen.delete(node);
      const found = await this.firstLie(node, final, signal);
      if (found !== null) lowest = Math.min(found, lowest ?? found);
    }
    this.hold();
    this.unchecked.start(signal);
    return lowest;
  }

  /** Holds an answer against what every other node tells. A node with a false answer is distrusted. */
  async judge({ answer, ownFits, fits = () => true, final }: Question, signal: AbortSignal): Promise<Verdict> {
    const own = readDigest(answer.digest);
    if (own === null) return { stands: null, confirmedBy: 0, heard: true };
    const { rpc } = this.deps;
    const others = rpc.usable.filter(({ index }) => index !== answer.node);
    const told = await Promise.all(others.map((other) => this.readOf(other, answer.height, signal)));
    const heard = told.some((read) => read !== null);
    const versions: Version[] = [{ ...own, digest: answer.digest, fits: ownFits, nodes: [answer.node] }];
    for (const read of told) {
      if (read === null || read.digest === '' || (read.block.hash !== own.hash && !final)) continue;
      const known = versions.find(({ digest }) => sameAnswer(digest, read.digest));
      if (known !== undefined) known.nodes.push(read.node);
      else versions.push({ ...readDigest(read.digest)!, digest: read.digest, fits: fits(read), nodes: [read.node] });
    }
    const confirmedBy = versions[0]!.nodes.length - 1;
    if (versions.length === 1) {
      if (confirmedBy > 0) this.confirm(answer.height);
      return { stands: confirmedBy > 0 ? true : null, confirmedBy, heard };
    }
    const holds = decide(versions);
    if (holds === null) {
      this.deps.observer.doubtful?.(answer.height, 'nodes differ, and nothing decides between them', true);
      return { stands: null, confirmedBy, heard };
    }
    for (const { nodes } of versions.filter((version) => version !== holds)) {
      for (const node of nodes) this.distrust(node, `block ${answer.height} differs from that of other nodes`);
    }
    return { stands: holds === versions[0], confirmedBy, heard };
  }

  private async firstLie(node: number, final: (slot: number) => boolean, signal: AbortSignal): Promise<number | null> {
    const answers = this.deps.recent.of(node);
    let lowest: number | null = null;
    const next = async (): Promise<void> => {
      for (let answer = answers.shift(); answer !== undefined; answer = answers.shift()) {
        if (!(await this.isLie(node, answer, final(answer.height), signal))) continue;
        lowest = Math.min(answer.height, lowest ?? answer.height);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL_READS }, next));
    return lowest;
  }

  /** One other node that tells the same is enough for a block to stay; one that tells another asks for all of them. */
  private async isLie(node: number, answer: RecentAnswer, final: boolean, signal: AbortSignal): Promise<boolean> {
    const told = await this.readOf(this.otherThan(node), answer.height, signal);
    if (told !== null && sameAnswer(told.digest, answer.digest)) return false;
    const { stands, heard } = await this.judge({ answer, ownFits: false, final }, signal);
    if (!heard) this.unchecked.addBlock(answer, true);
    return stands === false;
  }

  private confirm(slot: number): void {
    this.confirmed = Math.max(this.confirmed, slot);
  }

  private isDue(slot: number): boolean {
    const { sampleEvery } = this.deps.options;
    if (sampleEvery === 0 || slot < this.nextSample) return false;
    // No node can know which block is the next one.
    this.nextSample = slot + randomInt(1, Math.max(2 * sampleEvery, 2));
    return true;
  }

  /** The first other node that can be asked now. */
  private otherThan(node: number): SolanaEndpoint | null {
    return this.othersThan(node)[0] ?? null;
  }

  private othersThan(node: number): SolanaEndpoint[] {
    const now = performance.now();
    return this.deps.rpc.usable.filter(({ index, coolUntil }) => index !== node && coolUntil <= now);
  }

  /** What is pushed mostly comes from the first node: it is compared with another one where there is one, else not at all. */
  private secondTo(node: number): SolanaEndpoint | null {
    if (node !== FEED) return this.otherThan(node);
    return this.deps.rpc.endpoints.length === 1 ? null : (this.otherThan(0) ?? this.otherThan(FEED));
  }

  /** Null where it does not tell. */
  private async readOf(other: SolanaEndpoint | null, slot: number, signal: AbortSignal): Promise<ReadBlock | null> {
    if (other === null) return null;
    const { rpc, reader } = this.deps;
    return this.unlessItFails(rpc.on(other, (endpoint) => reader.read(endpoint, slot, signal), signal));
  }

  private async unlessItFails<T>(asked: Promise<T>): Promise<T | null> {
    try {
      return await asked;
    } catch (error) {
      if (error instanceof RpcError) return null;
      throw error;
    }
  }

  private work(signal: AbortSignal): void {
    this.unchecked.start(signal);
    if (this.checking || this.waiting.length === 0) return;
    this.checking = true;
    void this.compareAll(signal);
  }

  private async compareAll(signal: AbortSignal): Promise<void> {
    try {
      for (let read = this.waiting[0]; read !== undefined; read = this.waiting[0]) {
        const answered = await this.compare(read, signal);
        if (!answered) this.unchecked.addBlock(answerOf(read), false);
        if (this.waiting[0] === read) this.waiting.shift();
      }
      this.unchecked.start(signal);
    } catch (error) {
      if (!signal.aborted) this.fail(error);
    } finally {
      this.checking = false;
    }
  }

  /** Whether another node answered. */
  private async compare(read: ReadBlock, signal: AbortSignal): Promise<boolean> {
    const { slot } = read.block;
    const other = this.secondTo(read.node);
    if (other === null) return false;
    const dispute = { answer: answerOf(read), suspect: false };
    if (this.isDue(slot)) {
      const whole = await this.readOf(other, slot, signal);
      if (whole !== null && whole.block.hash === read.block.hash) {
        if (sameAnswer(whole.digest, read.digest)) this.confirm(slot);
        else this.dispute(dispute);
        return true;
      }
    }
    const signed = await this.signaturesOf(other, slot, signal);
    if (signed === null) return false;
    if (signed.hash !== read.block.hash) return true;
    if (sameTransactions(read, signed)) this.confirm(slot);
    else this.dispute(dispute);
    return true;
  }

  private async signaturesOf(other: SolanaEndpoint, slot: number, signal: AbortSignal): Promise<SignedHeader | null> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.deps.rpc.on(other, (endpoint) => endpoint.signatures(slot, signal), signal);
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        if (!isMissing(error) || tries === TRIES) return null;
        await delay(this.deps.options.behindMs * tries, undefined, { signal });
      }
    }
  }

  private dispute(dispute: Dispute): void {
    this.disputes.push(dispute);
    this.deps.onTrouble();
  }

  private fail(error: unknown): void {
    this.failure = error;
    this.deps.onTrouble();
  }
}
