import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { EvmTransaction } from '#libs/serve/contract/rest/evm/swap-body.js';

/** Keys and signatures of the demo wallet. A separate chunk, loaded only when that wallet is made. */
export type Key = `0x${string}`;

export const newKey = (): Key => generatePrivateKey();

export const addressOf = (key: Key): string => privateKeyToAccount(key).address.toLowerCase();

export function sign(key: Key, tx: EvmTransaction, nonce: number): Promise<string> {
  const account: PrivateKeyAccount = privateKeyToAccount(key);
  return account.signTransaction({
    ...{ type: 'eip1559', chainId: tx.chainId, nonce },
    ...{ to: tx.to as Key, data: tx.data as Key, value: BigInt(tx.value), gas: BigInt(tx.gas) },
    maxFeePerGas: BigInt(tx.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(tx.maxPriorityFeePerGas),
  });
}

export const walletOf = (key: string) => ({
  address: addressOf(key as Key),
  sign: (tx: EvmTransaction, nonce: number) => sign(key as Key, tx, nonce),
});
