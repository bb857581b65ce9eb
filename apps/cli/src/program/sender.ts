import type { Keypair } from '@solana/web3.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { encodeBase58 } from '#libs/core/base58.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { Blockhash, Cluster } from './cluster.js';
import { failure, refusal } from './failures.js';
import { feeOf, type ProgramStep, type Terms, transactionOf } from './transactions.js';

/**
 * Signs, sends and waits until the cluster has confirmed. A transaction is signed again only after its blockhash has
 * expired without it: what was sent before can then no longer land, so that no step happens twice.
 */
const POLL_MS = 250;
const RESEND_EVERY = 8;
const SIGNINGS = 4;
const AT_ONCE = 8;

interface Sent {
  step: ProgramStep;
  wire: Buffer;
  signature: string;
}

export class Sender {
  constructor(
    readonly cluster: Cluster,
    /** Null when nothing is going to be sent. */
    private readonly payer: Keypair | null,
    readonly terms: Terms,
  ) {}

  /** One step, after a simulation by the node. Answers the slot it landed in. */
  async run(step: ProgramStep): Promise<{ signature: string; slot: number }> {
    for (let signing = 1; signing <= SIGNINGS; signing++) {
      const blockhash = await this.cluster.blockhash();
      const sent = this.sign(step, blockhash.hash);
      try {
        await this.cluster.send(sent.wire, false);
      } catch (error) {
        throw refusal(step, this.terms, error);
      }
      const landed = (await this.settle([sent], blockhash)).get(sent);
      if (landed) return { signature: sent.signature, slot: landed };
    }
    throw new TidepoolError(
      'not_confirmed',
      `${step.label}: the cluster took none of ${SIGNINGS} transactions; try again, with --priority-fee when it is busy`,
    );
  }

  /** Many steps in any order, without a simulation. What did not land in time is left to the caller. */
  async runAll(steps: readonly ProgramStep[], onLanded: (step: ProgramStep) => void): Promise<void> {
    const blockhash = await this.cluster.blockhash();
    const all = steps.map((step) => this.sign(step, blockhash.hash));
    const waiting = [...all];
    const worker = async (): Promise<void> => {
      for (let sent = waiting.shift(); sent; sent = waiting.shift()) await this.cluster.send(sent.wire, true);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    await this.settle(all, blockhash, onLanded);
  }

  /** Refuses before anything is sent when the payer cannot pay. */
  async requireBalance(need: bigint, what: string): Promise<void> {
    const { payer } = this.terms;
    const [has, keep] = await Promise.all([this.cluster.balance(payer), this.cluster.rent(0)]);
    // An account may be emptied or keep what lets it stay on chain.
    if (has === need || has >= need + keep) return;
    const missing = need + keep - has;
    throw new TidepoolError(
      'insufficient_balance',
      `${solanaIds.formatAddress(payer)} has ${sol(has)} and ${what} needs ${sol(need + keep)}: send it at least ${sol(missing)} more`,
    );
  }

  feeOf = (step: ProgramStep): bigint => feeOf(step, this.terms);

  private sign(step: ProgramStep, blockhash: string): Sent {
    if (!this.payer) throw new Error('a dry run sends nothing');
    const transaction = transactionOf(step, this.terms, blockhash);
    transaction.sign(this.payer, ...(step.signers ?? []));
    return { step, wire: transaction.serialize(), signature: encodeBase58(transaction.signature as Uint8Array) };
  }

  /** Waits for each to be confirmed or to expire; sends again meanwhile. Slots of those that landed. */
  private async settle(
    all: readonly Sent[],
    { lastValidHeight }: Blockhash,
    onLanded: (step: ProgramStep) => void = () => {},
  ): Promise<Map<Sent, number>> {
    const landed = new Map<Sent, number>();
    for (let poll = 1; ; poll++) {
      // The height is asked before the statuses: what is unknown above it then can no longer land.
      const expired = (await this.cluster.height()) > lastValidHeight;
      const open = all.filter((sent) => !landed.has(sent));
      const statuses = await this.cluster.statuses(open.map(({ signature }) => signature));
      for (const [index, status] of statuses.entries()) {
        const sent = open[index] as Sent;
        if (!status?.settled) continue;
        if (status.err !== null) throw failure(sent.step, this.terms, status.err);
        landed.set(sent, status.slot);
        onLanded(sent.step);
      }
      const left = open.filter((sent) => !landed.has(sent));
      // One that is in a block but not yet confirmed is waited for.
      if (left.length === 0 || (expired && statuses.every((status) => !status || status.settled))) return landed;
      if (poll % RESEND_EVERY === 0) for (const { wire } of left) await this.cluster.send(wire, true);
      await this.cluster.pause(POLL_MS);
    }
  }
}

/** Lamports as SOL, exactly. */
export function sol(lamports: bigint): string {
  const digits = lamports.toString().padStart(10, '0');
  const fraction = digits.slice(-9).replace(/0+$/, '');
  return `${digits.slice(0, -9)}${fraction === '' ? '' : `.${fraction}`} SOL`;
}
