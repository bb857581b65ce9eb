import { createHash } from 'node:crypto';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { TidepoolError } from '#libs/core/errors.js';
import type { Progress } from '#libs/platform/admin-protocol.js';
import { SYSTEM_PROGRAM, UPGRADEABLE_LOADER } from '#programs/instruction.js';
import { BUFFER_HEAD, initializeBuffer, readLoaderAccount, WRITE_BYTES, writeBuffer } from '#programs/loader-client.js';
import { type MadeAccount, makeAccount, seededAccount } from './accounts.js';
import type { AccountInfo } from './cluster.js';
import type { Sender } from './sender.js';
import type { ProgramStep } from './transactions.js';

/**
 * The buffer that a program's code is written to. Its address follows from the deployer and the code, and what is missing in
 * it is found by comparing: the same command after an interruption continues where the first one stopped, and a buffer is only
 * ever used once it holds exactly the code.
 */
const UNITS = 10_000;
/** Rounds in a row without a piece that landed, before it is given up. */
const PATIENCE = 3;

export class CodeBuffer {
  readonly made: MadeAccount;
  private readonly bytes: number;

  constructor(
    private readonly sender: Sender,
    private readonly code: Buffer,
  ) {
    const digest = createHash('sha256').update(code).digest('hex');
    this.made = seededAccount(sender.terms.payer, `code-${digest.slice(0, 24)}`);
    this.bytes = BUFFER_HEAD + code.length;
  }

  rent = (): Promise<bigint> => this.sender.cluster.rent(this.bytes);

  /** Lamports that are there, and the steps that are left. */
  async plan(): Promise<{ held: bigint; make: ProgramStep | null; writes: ProgramStep[] }> {
    const account = await this.sender.cluster.account(this.made.id);
    const held = account?.lamports ?? 0n;
    const written = account && this.written(account);
    return { held, make: written ? null : await this.makeStep(held), writes: this.missing(written) };
  }

  /** Makes the buffer hold the code. */
  async fill(progress: (progress: Progress) => void): Promise<void> {
    const { make } = await this.plan();
    if (make) await this.sender.run(make);
    let before = Number.POSITIVE_INFINITY;
    for (let idle = 0; ; ) {
      const { writes } = await this.plan();
      const total = this.pieces();
      let done = total - writes.length;
      const show = (): void => progress({ label: 'writing the code', done, total, unit: 'pieces' });
      if (writes.length === 0) return;
      show();
      idle = writes.length < before ? 0 : idle + 1;
      before = writes.length;
      if (idle === PATIENCE) {
        throw new TidepoolError(
          'not_confirmed',
          `${writes.length} of ${total} pieces of the code do not get onto the chain: run the command again to go on, with --priority-fee when the cluster is busy`,
        );
      }
      await this.sender.runAll(writes, () => {
        done++;
        show();
      });
    }
  }

  private pieces = (): number => Math.ceil(this.code.length / WRITE_BYTES);

  /** What the buffer holds; null while it has to be made. */
  private written({ owner, data }: AccountInfo): Buffer | null {
    if (owner === SYSTEM_PROGRAM && data.length === 0) return null;
    const found = owner === UPGRADEABLE_LOADER ? readLoaderAccount(data) : null;
    const usable = found?.kind === 'buffer' && found.code.length === this.code.length;
    if (usable && found.authority === this.sender.terms.payer) return found.code;
    const address = solanaIds.formatAddress(this.made.id);
    throw new TidepoolError(
      'buffer_unusable',
      `the buffer ${address} is not usable by this key: solana program close ${address} frees it`,
    );
  }

  private async makeStep(held: bigint): Promise<ProgramStep> {
    const { payer } = this.sender.terms;
    const rent = await this.rent();
    const lamports = rent > held ? rent - held : 0n;
    return {
      label: 'make the buffer',
      instructions: [...makeAccount(payer, this.made, this.bytes, lamports), initializeBuffer(this.made.id, payer)],
      units: UNITS,
    };
  }

  private missing(written: Buffer | null): ProgramStep[] {
    const steps: ProgramStep[] = [];
    for (let at = 0; at < this.code.length; at += WRITE_BYTES) {
      const piece = this.code.subarray(at, at + WRITE_BYTES);
      if (written?.subarray(at, at + piece.length).equals(piece)) continue;
      const instruction = writeBuffer(this.made.id, this.sender.terms.payer, at, piece);
      steps.push({ label: `write bytes ${at} to ${at + piece.length}`, instructions: [instruction], units: UNITS });
    }
    return steps;
  }
}
