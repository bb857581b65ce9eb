import { signal } from '@preact/signals';
import type { EvmSwapAnswer, EvmTransaction } from '#libs/serve/contract/rest/evm/swap-body.js';
import { pause } from '../../state/pause.js';
import { type Coin, isNative } from '../coins.js';
import type { DemoWallet } from './demo-wallet.js';
import { type LocalNode, NodeError } from './local-node.js';

type StepState = 'waiting' | 'sent' | 'landed' | 'reverted';

export interface Step {
  readonly transaction: EvmTransaction;
  readonly state: StepState;
  readonly hash: string | null;
  /** Height of the block it landed in. */
  readonly block: number | null;
}

export interface Balances {
  readonly input: bigint;
  readonly output: bigint;
}

/** The result of the swap, from the wallet's balances before and after it; the cost of gas is left out. */
export interface Outcome {
  readonly block: number;
  readonly received: bigint;
  readonly quoted: bigint;
  readonly gasPaid: bigint;
  readonly before: Balances;
  readonly after: Balances;
  /** The block has been replaced since. */
  readonly replaced: boolean;
}

export interface RunState {
  readonly name: 'running' | 'done' | 'failed';
  readonly steps: readonly Step[];
  readonly outcome: Outcome | null;
  /** Why it failed, in words. */
  readonly trouble: string | null;
}

export interface RunOptions {
  node: LocalNode;
  wallet: DemoWallet;
  answer: EvmSwapAnswer;
  input: Coin;
  output: Coin;
  pollMs?: number;
  patienceMs?: number;
}

interface Receipt {
  status: string;
  blockNumber: string;
  gasUsed: string;
  effectiveGasPrice: string;
}

const POLL_MS = 400;
const PATIENCE_MS = 90_000;
/** Looks at the node's pool once in so many looks at the receipts. */
const REMIND_EVERY = 5;
/** After so many further blocks the local chain does not replace it any more. */
const SETTLED_AFTER = 6;

/** Signs the transactions in order, sends them to the local chain, and reports their results. */
export class DemoRun {
  readonly state = signal<RunState>({ name: 'running', steps: [], outcome: null, trouble: null });
  private stopped = false;
  /** What was signed, to be sent again where a reorg made the node forget it. */
  private readonly signed: string[] = [];

  constructor(private readonly options: RunOptions) {
    const { setupTransactions, swapTransaction } = options.answer;
    const steps = [...setupTransactions, swapTransaction].map(
      (transaction): Step => ({ transaction, state: 'waiting', hash: null, block: null }),
    );
    this.state.value = { name: 'running', steps, outcome: null, trouble: null };
  }

  stop(): void {
    this.stopped = true;
  }

  async run(): Promise<void> {
    try {
      await this.send();
      const receipts = await this.land();
      if (receipts === null) return;
      const outcome = await this.settle(receipts);
      this.state.value = { ...this.state.peek(), name: 'done', outcome };
      await this.watch(outcome);
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      // What is already known stays: only the further checks have failed.
      if (this.state.peek().name === 'running') this.fail(`${error.message}.`);
    }
  }

  private async send(): Promise<void> {
    const { node, wallet } = this.options;
    let nonce = Number(await node.call<string>('eth_getTransactionCount', [wallet.address, 'pending']));
    for (const [index, { transaction }] of this.state.peek().steps.entries()) {
      const signed = await wallet.sign(transaction, nonce++);
      this.signed.push(signed);
      const hash = await node.call<string>('eth_sendRawTransaction', [signed]);
      this.step(index, { state: 'sent', hash });
    }
  }

  /** The receipts of all steps; null when one reverted or none came. */
  private async land(): Promise<Receipt[] | null> {
    const { pollMs = POLL_MS, patienceMs = PATIENCE_MS } = this.options;
    const deadline = Date.now() + patienceMs;
    let round = 0;
    while (!this.stopped) {
      const receipts = await this.receipts();
      receipts?.forEach((receipt, index) => {
        if (receipt === null) this.step(index, { state: 'sent', block: null });
        else
          this.step(index, { state: succeeded(receipt) ? 'landed' : 'reverted', block: Number(receipt.blockNumber) });
      });
      const reverted = this.state.peek().steps.findIndex(({ state }) => state === 'reverted');
      if (reverted >= 0) return this.fail(this.revertWords(reverted));
      if (receipts?.every((receipt) => receipt !== null)) return receipts;
      if (Date.now() > deadline) {
        return this.fail('It has not landed. Take a new quote and sign again.');
      }
      if (round++ % REMIND_EVERY === REMIND_EVERY - 1) await this.remind();
      await pause(pollMs);
    }
    return null;
  }

  /** A node that replaces blocks forgets transactions that it has not mined yet, and mines others of our nonces. */
  private async remind(): Promise<void> {
    const { node } = this.options;
    for (const [index, { state, hash }] of this.state.peek().steps.entries()) {
      if (state !== 'sent' || (await node.call('eth_getTransactionByHash', [hash])) !== null) continue;
      try {
        await node.call('eth_sendRawTransaction', [this.signed[index]]);
      } catch (error) {
        // It is there after all, or it is paid for once the wallet is filled again.
        if (!(error instanceof NodeError) || !/nonce/i.test(error.message)) continue;
        throw new NodeError('A reorg has replaced its block. The balances tell what became of it');
      }
    }
  }

  private revertWords(index: number): string {
    const { steps } = this.state.peek();
    const what = index === steps.length - 1 ? 'The swap' : 'An approval';
    return `${what} reverted: what the chain held had changed since the simulation. Take a new quote and sign again.`;
  }

  private async settle(receipts: readonly Receipt[]): Promise<Outcome> {
    const { answer, output } = this.options;
    const blocks = receipts.map(({ blockNumber }) => Number(blockNumber));
    const block = Math.max(...blocks);
    const before = await this.balances(Math.min(...blocks) - 1);
    const after = await this.balances(block);
    const gasPaid = receipts.reduce((sum, { gasUsed, effectiveGasPrice }) => {
      return sum + BigInt(gasUsed) * BigInt(effectiveGasPrice);
    }, 0n);
    const received = after.output - before.output + (isNative(output) ? gasPaid : 0n);
    const quoted = BigInt(answer.quoteResponse.outAmount);
    return { block, received, quoted, gasPaid, before, after, replaced: false };
  }

  private async balances(height: number): Promise<Balances> {
    const { node, wallet, input, output } = this.options;
    const tag = `0x${height.toString(16)}`;
    const of = ({ address }: Coin): Promise<bigint> =>
      isNative({ address }) ? node.nativeBalance(wallet.address, tag) : node.tokenBalance(address, wallet.address, tag);
    return { input: await of(input), output: await of(output) };
  }

  /** A block that was replaced took the swap along; it may come again in another one. */
  private async watch(outcome: Outcome): Promise<void> {
    const { node, pollMs = POLL_MS } = this.options;
    const swap = this.state.peek().steps.at(-1)!.hash!;
    while (!this.stopped && (await node.blockNumber()) < outcome.block + SETTLED_AFTER) {
      await pause(3 * pollMs);
      const receipt = await this.receipt(swap);
      if (receipt !== null && Number(receipt.blockNumber) === outcome.block) continue;
      this.state.value = { ...this.state.peek(), outcome: { ...outcome, replaced: true } };
      return;
    }
  }

  /**
   * The receipts of all steps at one moment. A wallet's transactions land in order: a missing receipt before one that is
   * there means that a block came between the questions, and the answers are of two moments; null then.
   */
  private async receipts(): Promise<(Receipt | null)[] | null> {
    const receipts = await Promise.all(this.state.peek().steps.map(({ hash }) => this.receipt(hash!)));
    const landed = receipts.findLastIndex((receipt) => receipt !== null);
    return receipts.slice(0, landed + 1).includes(null) ? null : receipts;
  }

  private receipt(hash: string): Promise<Receipt | null> {
    return this.options.node.call<Receipt | null>('eth_getTransactionReceipt', [hash]);
  }

  private step(index: number, change: Partial<Step>): void {
    const state = this.state.peek();
    const steps = state.steps.map((step, at) => (at === index ? { ...step, ...change } : step));
    this.state.value = { ...state, steps };
  }

  private fail(trouble: string): null {
    this.state.value = { ...this.state.peek(), name: 'failed', trouble };
    return null;
  }
}

const succeeded = ({ status }: Receipt): boolean => BigInt(status) === 1n;
