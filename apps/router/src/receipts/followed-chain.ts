import { readServedEpoch } from '#libs/pipeline/epochs/served-epoch.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { decodeFactsGroup } from '#libs/pipeline/projections/facts-codec.js';
import type { FactsGroup } from '#libs/protocol/facts.js';
import { type FactsPosition, isLater, type QuoteReceipt } from '#libs/protocol/receipts.js';
import { factsTopic } from '#libs/protocol/topics.js';
import { ChainReceipts, neededAfter } from './chain-receipts.js';
import type { OtherTokenOf } from './executes.js';

/** Groups of one read: the decoded ones are not kept waiting. */
const GROUPS = 200;

/**
 * The receipts of one chain and how they keep up with its facts: group by group while they are in step, from the log
 * after a start, a gap or a receipt that came late. Only what is in step may be published.
 */
export class FollowedChain {
  readonly receipts: ChainReceipts;
  /**
   * A pool follower reports this chain's groups, or builds use it: its states are found here. Else they are the
   * topic's.
   */
  following = false;
  inStep = false;
  /** The newest group that was reported. */
  private told: FactsPosition | null = null;

  constructor(
    readonly slug: string,
    poolToken: OtherTokenOf,
    changed: (receipt: QuoteReceipt) => void,
  ) {
    this.receipts = new ChainReceipts(poolToken, changed);
  }

  /** A swap that is built now can only be in a group after this one. Epoch 0: no group is known yet. */
  get builtAfter(): FactsPosition {
    const { told } = this;
    const at = this.receipts.position ?? { epoch: 0, seq: -1 };
    return told !== null && isLater(told, at) ? told : at;
  }

  /** The next group of the chain. Answers whether the log has to be read. */
  tell(facts: FactsGroup): boolean {
    const { epoch, seq } = facts;
    this.following = true;
    if (this.told === null || isLater({ epoch, seq }, this.told)) this.told = { epoch, seq };
    const at = this.receipts.position;
    if (!this.inStep || at === null) return true;
    if (epoch === at.epoch && seq === at.seq + 1) {
      this.receipts.apply(facts);
      return false;
    }
    if (!isLater({ epoch, seq }, at)) return false;
    this.inStep = false;
    return true;
  }

  /** A receipt that another router built or decided. */
  adopt(receipt: QuoteReceipt): void {
    const { receipts } = this;
    const at = receipts.position;
    const mine = receipts.get(receipt.id);
    if (!this.following || at === null) {
      if (mine === undefined || !isLater(mine.asOf, receipt.asOf)) receipts.put(receipt);
      return;
    }
    if (mine !== undefined) {
      if (contradicts(receipt, mine)) this.findAgain({ ...mine, ...UNDECIDED }, at);
      return;
    }
    const { decidedAt, executed } = receipt;
    const ahead = decidedAt !== null && decidedAt.epoch === at.epoch && decidedAt.seq > at.seq;
    const taken = executed !== null && receipts.settledBy(executed.tx) !== undefined;
    const open = decidedAt === null || ahead || taken;
    // It was sealed where its router was then. A retraction below what is sealed may have come on the way to here.
    const behind = decidedAt?.epoch === at.epoch && receipt.asOf.epoch === at.epoch && receipt.asOf.seq < at.seq;
    const adopted: QuoteReceipt = open ? { ...receipt, ...UNDECIDED } : { ...receipt, final: receipt.final && !behind };
    this.findAgain(adopted, at);
  }

  /** Takes the groups again that matter to it, unless nothing can have changed. */
  private findAgain(receipt: QuoteReceipt, at: FactsPosition): void {
    this.receipts.put(receipt);
    const seq = neededAfter(receipt, at);
    if (seq >= at.seq) return;
    this.receipts.moveTo({ epoch: at.epoch, seq });
    this.inStep = false;
  }

  /**
   * Reads the log up to its end; does nothing while it has no writer. Reading begins where the oldest receipt that is
   * not settled needs it and stops early when none is left, so that a long pause costs an hour of groups at most, which
   * is how long a swap may wait for its block.
   */
  async catchUp(log: EventLog, signal: AbortSignal, cut: (missing: number) => void): Promise<void> {
    const { receipts } = this;
    const served = await readServedEpoch(log, this.slug);
    if (served === null || (receipts.position !== null && served.epoch < receipts.position.epoch)) return;
    const { epoch, foldVersion } = served;
    const topic = factsTopic(this.slug, epoch, foldVersion);
    await log.ensureTopics([topic]);
    while (!signal.aborted && !this.inStep) {
      const end = (await log.lastGroup(topic))?.seq ?? -1;
      if (receipts.position?.epoch !== epoch) receipts.moveTo(receipts.firstNeeded({ epoch, seq: end }));
      const kept = (await log.firstGroup(topic))?.seq ?? 0;
      const missing = kept - 1 - receipts.position!.seq;
      if (missing > 0 && !receipts.settled) cut(missing);
      if (missing > 0) receipts.moveTo({ epoch, seq: kept - 1 });
      if (receipts.position!.seq < end) await this.read(log, topic, end, signal);
      if (signal.aborted) return;
      const { told } = this;
      const at = receipts.position!;
      this.inStep = told === null || !isLater(told, at);
      // A newer epoch is reported than the one that is served: its record comes.
      if (told !== null && told.epoch > epoch) return;
    }
  }

  private async read(log: EventLog, topic: ReturnType<typeof factsTopic>, end: number, signal: AbortSignal) {
    const { receipts } = this;
    const { epoch, seq } = receipts.position!;
    if (receipts.settled) {
      receipts.moveTo({ epoch, seq: end });
      return;
    }
    for await (const batch of log.readGroups(topic, { fromSeq: seq + 1, signal, untilEnd: true, maxGroups: GROUPS })) {
      for (const record of batch) {
        // A receipt that came late took the position back meanwhile: reading begins again there.
        if (record.seq !== receipts.position!.seq + 1) return;
        receipts.apply(decodeFactsGroup(record.value));
      }
      if (!receipts.settled) continue;
      if (receipts.position!.seq < end) receipts.moveTo({ epoch, seq: end });
      return;
    }
  }
}

const UNDECIDED = { state: 'built', decidedAt: null, executed: null, final: false } as const;

/**
 * A router that had seen the group which decides a sealed receipt here says otherwise: one of the two missed a retraction below what
 * was sealed, since groups are skipped while nothing is open. The facts say which.
 */
function contradicts(receipt: QuoteReceipt, mine: QuoteReceipt): boolean {
  return (
    mine.final && mine.decidedAt !== null && !isLater(mine.decidedAt, receipt.asOf) && !sameDecision(receipt, mine)
  );
}

export const sameDecision = (a: QuoteReceipt, b: QuoteReceipt): boolean =>
  a.state === b.state &&
  a.decidedAt?.epoch === b.decidedAt?.epoch &&
  a.decidedAt?.seq === b.decidedAt?.seq &&
  a.executed?.tx === b.executed?.tx;
