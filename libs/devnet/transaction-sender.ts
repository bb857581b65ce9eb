import type { Hex } from 'viem';
import { TidepoolError } from '#libs/core/errors.js';
import type { AnvilRpc } from './anvil-rpc.js';
import { quantity } from './rpc-shapes.js';

/** Transactions of impersonated wallets, and blocks with a time of our choosing. */
export interface Outgoing {
  from: string;
  /** Absent for a creation. */
  to?: string;
  data?: Hex;
  value?: bigint;
  gas?: number;
}

export interface WireTransaction {
  from: string;
  to?: string;
  data?: string;
  value: string;
  gas: string;
  nonce: string;
  maxFeePerGas: string;
  maxPriorityFeePerGas: string;
}

/** A transaction as its wallet signed it. */
export interface SignedTransaction {
  raw: string;
}

const MAX_FEE = quantity(500_000_000_000);

export function wireTransaction(tx: Outgoing, nonce: number): WireTransaction {
  return {
    from: tx.from,
    ...(tx.to === undefined ? {} : { to: tx.to }),
    ...(tx.data === undefined ? {} : { data: tx.data }),
    value: quantity(tx.value ?? 0n),
    gas: quantity(tx.gas ?? 1_200_000),
    nonce: quantity(nonce),
    maxFeePerGas: MAX_FEE,
    maxPriorityFeePerGas: quantity(1_000_000_000),
  };
}

export async function nextNonces(rpc: AnvilRpc, wallets: readonly string[]): Promise<Map<string, number>> {
  const answers = await rpc.batch(
    wallets.map((wallet) => ({ method: 'eth_getTransactionCount', params: [wallet, 'latest'] })),
  );
  return new Map(wallets.map((wallet, i) => [wallet, Number(answers[i])]));
}

/** Mines one block of these transactions, in this order. Returns their hashes. */
export function mineBlock(
  rpc: AnvilRpc,
  timestamp: number,
  transactions: readonly Outgoing[],
  nonces: Map<string, number>,
): Promise<string[]> {
  const wired = transactions.map((tx) => {
    const nonce = nonces.get(tx.from) ?? 0;
    nonces.set(tx.from, nonce + 1);
    return wireTransaction(tx, nonce);
  });
  return mineRaw(rpc, timestamp, wired);
}

export async function mineRaw(
  rpc: AnvilRpc,
  timestamp: number,
  transactions: readonly (WireTransaction | SignedTransaction)[],
): Promise<string[]> {
  const answers = await rpc.batch([
    ...transactions.map((tx) =>
      'raw' in tx
        ? { method: 'eth_sendRawTransaction', params: [tx.raw] }
        : { method: 'eth_sendTransaction', params: [tx] },
    ),
    { method: 'evm_setNextBlockTimestamp', params: [timestamp] },
    { method: 'evm_mine' },
  ]);
  return answers.slice(0, transactions.length) as string[];
}

/** For setting up, where every transaction has to work. */
export async function requireSuccess(rpc: AnvilRpc, hashes: readonly string[]): Promise<void> {
  const receipts = (await rpc.batch(
    hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  )) as ({ status: string } | null)[];
  receipts.forEach((receipt, i) => {
    if (receipt?.status !== '0x1') {
      throw new TidepoolError(
        'devnet_setup',
        `transaction ${hashes[i]} of the set-up ${receipt ? 'reverted' : 'was not mined'}`,
      );
    }
  });
}
