import type { Hex } from 'viem';
import { TidepoolError } from '#libs/core/errors.js';
import { quantityText } from '#libs/devkit/chain-builder/rpc-shapes.js';
import type { AnvilRpc, Request } from './anvil-rpc.js';

/** Transactions of impersonated wallets, and blocks with a time of our choosing. */
export interface Outgoing {
  from: string;
  /** Absent for a creation. */
  to?: string;
  data?: Hex;
  value?: bigint;
  gas?: number;
}

export interface EvmWireTransaction {
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

const MAX_FEE = quantityText(500_000_000_000);

function wireTransaction(tx: Outgoing, nonce: number): EvmWireTransaction {
  return {
    from: tx.from,
    ...(tx.to === undefined ? {} : { to: tx.to }),
    ...(tx.data === undefined ? {} : { data: tx.data }),
    value: quantityText(tx.value ?? 0n),
    gas: quantityText(tx.gas ?? 1_200_000),
    nonce: quantityText(nonce),
    maxFeePerGas: MAX_FEE,
    maxPriorityFeePerGas: quantityText(1_000_000_000),
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

async function mineRaw(
  rpc: AnvilRpc,
  timestamp: number,
  transactions: readonly EvmWireTransaction[],
): Promise<string[]> {
  const answers = await rpc.batch([...transactions.map(sending), ...mining(timestamp)]);
  return answers.slice(0, transactions.length) as string[];
}

/** As mineBlock, but leaves out what the node refuses: a transaction whose money came from another that is lost. */
export async function mineWhatGoes(
  rpc: AnvilRpc,
  timestamp: number,
  transactions: readonly (EvmWireTransaction | SignedTransaction)[],
): Promise<void> {
  await rpc.offer(transactions.map(sending));
  await rpc.batch(mining(timestamp));
}

const sending = (tx: EvmWireTransaction | SignedTransaction): Request =>
  'raw' in tx
    ? { method: 'eth_sendRawTransaction', params: [tx.raw] }
    : { method: 'eth_sendTransaction', params: [tx] };

const mining = (timestamp: number): Request[] => [
  { method: 'evm_setNextBlockTimestamp', params: [timestamp] },
  { method: 'evm_mine' },
];

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
