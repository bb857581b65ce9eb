import { signal } from '@preact/signals';
import type { SolSwapAnswer } from '#libs/serve/contract/rest/solana/swap-body.js';
import { pause } from '../../state/pause.js';
import { type Coin, isNative } from '../coins.js';
import type { Balances, RunState } from '../demo/demo-run.js';
import { NodeError } from '../demo/local-node.js';
import type { SolanaNode, WalletState } from './solana-node.js';
import type { SolanaDemoWallet } from './solana-wallet.js';

export interface SolanaRunOptions {
  node: Pick<SolanaNode, 'send' | 'landed' | 'status' | 'height'>;
  wallet: SolanaDemoWallet;
  answer: SolSwapAnswer;
  input: Coin;
  output: Coin;
  pollMs?: number;
}

const POLL_MS = 200;

/** Signs the transaction, sends it to the local chain, reports what the wallet got of it, and watches its slot until it is final. */
export class SolanaRun {
  readonly state = signal<Omit<RunState, 'steps'>>({ name: 'running', outcome: null, trouble: null });
  private stopped = false;

  constructor(private readonly options: SolanaRunOptions) {}

  stop(): void {
    this.stopped = true;
  }

  async run(): Promise<void> {
    try {
      const { node, wallet, answer } = this.options;
      const signed = wallet.sign(answer.swapTransaction);
      const signature = await node.send(signed);
      if (await this.land(signature, signed)) await this.watch(signature, signed);
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      // What is already known stays: only the further checks have failed.
      if (this.state.peek().name === 'running') this.fail(`${error.message}.`);
    }
  }

  /** False: it failed, or the page was left. */
  private async land(signature: string, signed: string): Promise<boolean> {
    const { node, wallet, answer, pollMs = POLL_MS } = this.options;
    for (let round = 1; !this.stopped; round++) {
      const landed = await node.landed(signature, wallet.address);
      if (landed?.failed) {
        return this.fail('The swap failed: what the chain held had changed since the simulation. Take a new quote.');
      }
      if (landed) {
        const { slot, feeLamports } = landed;
        const [before, after] = [this.balances(landed.before), this.balances(landed.after)];
        const received = after.output - before.output + (isNative(this.options.output) ? feeLamports : 0n);
        const quoted = BigInt(answer.quoteResponse.outAmount);
        const outcome = { ...{ block: slot, received, quoted, before, after }, gasPaid: feeLamports, replaced: false };
        this.state.value = { name: 'done', outcome, trouble: null };
        return true;
      }
      if ((await node.height()) > answer.lastValidBlockHeight) {
        return this.fail('It has not landed while its blockhash was good. Take a new quote and sign again.');
      }
      // A fork may have dropped it: the same bytes can never land twice.
      if (round % REMIND_EVERY === 0 && (await node.status(signature)) === null) await this.remind(signed);
      await pause(pollMs);
    }
    return false;
  }

  /** A slot that a fork dropped took the swap along; it may come again in another one. */
  private async watch(signature: string, signed: string): Promise<void> {
    const { node, wallet, pollMs = POLL_MS } = this.options;
    while (!this.stopped) {
      const status = await node.status(signature);
      const { outcome } = this.state.peek();
      const landed = status === null ? null : await node.landed(signature, wallet.address);
      const replaced = status === null || (landed !== null && landed.slot !== outcome!.block);
      if (replaced) {
        this.state.value = { ...this.state.peek(), outcome: { ...outcome!, replaced: true } };
        if (status === null) await this.remind(signed);
        return;
      }
      // It may have come into another slot and been final there since the last look.
      if (status === 'finalized') return;
      await pause(3 * pollMs);
    }
  }

  /** Refused where its blockhash is too old or it is there after all. */
  private async remind(signed: string): Promise<void> {
    await this.options.node.send(signed).catch((error: unknown) => {
      if (!(error instanceof NodeError)) throw error;
    });
  }

  private balances(of: WalletState): Balances {
    const held = (coin: Coin): bigint => (isNative(coin) ? of.lamports : (of.tokens.get(coin.address) ?? 0n));
    return { input: held(this.options.input), output: held(this.options.output) };
  }

  private fail(trouble: string): false {
    this.state.value = { name: 'failed', outcome: null, trouble };
    return false;
  }
}

/** Looks at where it is once in so many looks at whether it is confirmed. */
const REMIND_EVERY = 10;
