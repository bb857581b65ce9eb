import type { Hex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { EvmTransaction } from '#libs/serve/contract/rest/evm/swap-body.js';
import type { ChainWorld } from './chain-world.js';

export interface MinedReceipt {
  status: string;
  transactionHash: string;
  blockNumber: string;
}

/** A wallet that signs what the router built, as it is, and sends it to the chain's own node. */
export class Wallet {
  readonly account: PrivateKeyAccount;

  constructor(
    private readonly chain: ChainWorld,
    key: Hex = `0x${'7a'.repeat(32)}`,
  ) {
    this.account = privateKeyToAccount(key);
  }

  get address(): string {
    return this.account.address.toLowerCase();
  }

  /** Signs and sends in order, in one block of their own. */
  async mine(transactions: readonly EvmTransaction[]): Promise<MinedReceipt[]> {
    const { rpc, local } = this.chain;
    let nonce = Number(await rpc.call<string>('eth_getTransactionCount', [this.account.address, 'latest']));
    const hashes: string[] = [];
    for (const { chainId, to, data, value, gas, maxFeePerGas, maxPriorityFeePerGas } of transactions) {
      const raw = await this.account.signTransaction({
        ...{
          type: 'eip1559',
          chainId,
          to: to as Hex,
          data: data as Hex,
          value: BigInt(value),
          gas: BigInt(gas),
          nonce,
        },
        ...{ maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) },
      });
      hashes.push(await rpc.call<string>('eth_sendRawTransaction', [raw]));
      nonce++;
    }
    await local.mine({ traders: false });
    const params = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
    return (await rpc.batch(params)) as MinedReceipt[];
  }
}
