import { signal } from '@preact/signals';
import type { EvmTransaction } from '#libs/serve/contract/rest/evm/swap-body.js';
import { pause } from '../state/pause.js';
import type { DemoWallet } from '../swap/demo/demo-wallet.js';
import { type LocalNode, NodeError } from '../swap/demo/local-node.js';

export type LaunchRunState =
  | { readonly name: 'running'; readonly hash: string | null }
  | { readonly name: 'done'; readonly hash: string; readonly block: number }
  | { readonly name: 'failed'; readonly trouble: string };

export interface LaunchRunOptions {
  node: LocalNode;
  wallet: DemoWallet;
  transaction: EvmTransaction;
  pollMs?: number;
  patienceMs?: number;
}

const POLL_MS = 400;
const PATIENCE_MS = 90_000;

/** Signs the creation with the demo wallet, sends it to the local chain, and waits for its block. */
export class LaunchRun {
  readonly state = signal<LaunchRunState>({ name: 'running', hash: null });
  private stopped = false;

  constructor(private readonly options: LaunchRunOptions) {}

  stop(): void {
    this.stopped = true;
  }

  async run(): Promise<void> {
    try {
      await this.carryOut();
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      this.state.value = { name: 'failed', trouble: `${error.message}.` };
    }
  }

  private async carryOut(): Promise<void> {
    const { node, wallet, transaction, pollMs = POLL_MS, patienceMs = PATIENCE_MS } = this.options;
    const nonce = Number(await node.call<string>('eth_getTransactionCount', [wallet.address, 'pending']));
    const signed = await wallet.sign(transaction, nonce);
    const hash = await node.call<string>('eth_sendRawTransaction', [signed]);
    this.state.value = { name: 'running', hash };
    const deadline = Date.now() + patienceMs;
    while (!this.stopped) {
      const receipt = await node.call<{ status: string; blockNumber: string } | null>('eth_getTransactionReceipt', [
        hash,
      ]);
      if (receipt !== null) {
        const landed = BigInt(receipt.status) === 1n;
        this.state.value = landed
          ? { name: 'done', hash, block: Number(receipt.blockNumber) }
          : { name: 'failed', trouble: 'It reverted: the chain has changed since the simulation. Build it again.' };
        return;
      }
      if (Date.now() > deadline) throw new NodeError('It has not landed. Build it again');
      // A node that replaces blocks forgets transactions that it has not mined yet.
      if ((await node.call('eth_getTransactionByHash', [hash])) === null) await this.sendAgain(signed);
      await pause(pollMs);
    }
  }

  private async sendAgain(signed: string): Promise<void> {
    try {
      await this.options.node.call('eth_sendRawTransaction', [signed]);
    } catch (error) {
      // It is there after all, or in a block since.
      if (!(error instanceof NodeError)) throw error;
    }
  }
}
