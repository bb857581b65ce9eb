import type { Hex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { keccakText } from '#libs/devkit/chain-builder/keccak-hex.js';
import type { LocalChain } from '../local-chain.js';

export interface Receipt {
  status: Hex;
  transactionHash: Hex;
  gasUsed: Hex;
  effectiveGasPrice: Hex;
}

/** A wallet outside the local chain: it signs its own transactions. */
export class LocalWallet {
  readonly address: Hex;
  private readonly account: PrivateKeyAccount;

  constructor(
    private readonly chain: LocalChain,
    name: string,
  ) {
    this.account = privateKeyToAccount(`0x${keccakText(`wallet ${name}`)}`);
    this.address = this.account.address.toLowerCase() as Hex;
  }

  /** Sends it into the node's pool; returns its hash. */
  async send(to: string, data: Hex, value = 0n, gas = 1_200_000n): Promise<Hex> {
    const { rpc, chainId } = this.chain;
    const nonce = Number(await rpc.call('eth_getTransactionCount', [this.address, 'pending']));
    const fees = { maxFeePerGas: 500_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
    const tx = { chainId, nonce, to: to as Hex, data, value, gas, ...fees, type: 'eip1559' as const };
    return rpc.call<Hex>('eth_sendRawTransaction', [await this.account.signTransaction(tx)]);
  }

  /** Sends it and makes a block of it alone. */
  async run(to: string, data: Hex, value = 0n, gas?: bigint): Promise<Receipt> {
    const hash = await this.send(to, data, value, gas);
    await this.chain.mine({ traders: false });
    return this.chain.rpc.call<Receipt>('eth_getTransactionReceipt', [hash]);
  }

  coins(): Promise<bigint> {
    return this.chain.rpc.call<string>('eth_getBalance', [this.address, 'latest']).then(BigInt);
  }
}
