import { type Abi, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { LocalWorld } from '#libs/devkit/devnet/evm/test/local-world.js';
import type { EvmTransaction } from '#libs/serve/contract/rest/evm/swap-body.js';
import type { LaunchCreated } from '#libs/serve/contract/rest/launch/launch-body.js';
import type { LaunchWorld } from './launch-world.js';

export const COIN = 10n ** 18n;

export type Creator = ReturnType<typeof privateKeyToAccount>;

export interface Receipt {
  status: Hex;
  transactionHash: Hex;
  blockNumber: Hex;
  logs: { address: Hex; topics: Hex[]; data: Hex }[];
}

/** Wallets that create on one launchpad of a local chain: they ask the router, sign what it built and send it. */
export class EvmCreators {
  constructor(
    private readonly local: LocalWorld,
    private readonly world: LaunchWorld,
    private readonly chain: string,
    private readonly platform: string,
  ) {}

  async funded(eth: bigint): Promise<Creator> {
    const made = privateKeyToAccount(generatePrivateKey());
    if (eth > 0n) await this.local.chain.fund(made.address.toLowerCase(), { eth, tokens: [] });
    return made;
  }

  asked(creator: Creator, more: object = {}) {
    const { platform, world, local } = this;
    return {
      ...{ platform, creator: creator.address, name: 'Spring Tide', symbol: 'TIDE', image: world.sampleImage },
      ...{ rpcUrl: local.chain.rpcUrl, ...more },
    };
  }

  post(body: object) {
    return this.world.post(`/launch/${this.chain}`, body);
  }

  async created(body: object): Promise<LaunchCreated> {
    const reply = await this.post(body);
    expect([reply.status, reply.body.error]).toEqual([200, null]);
    return reply.body.data;
  }

  async send(creator: Creator, given: string | EvmTransaction): Promise<Receipt> {
    const { chainId, to, data, value, gas, maxFeePerGas, maxPriorityFeePerGas } = given as EvmTransaction;
    const { rpc } = this.local.chain;
    const nonce = Number(await rpc.call('eth_getTransactionCount', [creator.address, 'pending']));
    const signed = await creator.signTransaction({
      ...{ chainId, nonce, to: to as Hex, data: data as Hex, type: 'eip1559' },
      ...{ value: BigInt(value), gas: BigInt(gas) },
      ...{ maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) },
    });
    const hash = await rpc.call<Hex>('eth_sendRawTransaction', [signed]);
    await this.local.chain.mine({ traders: false });
    return rpc.call<Receipt>('eth_getTransactionReceipt', [hash]);
  }

  async view(abi: Abi, to: string, functionName: string): Promise<unknown> {
    const data = await this.local.call(to, encodeFunctionData({ abi, functionName }));
    return decodeFunctionResult({ abi, functionName, data });
  }

  coins(address: string): Promise<bigint> {
    return this.local.chain.rpc.call<Hex>('eth_getBalance', [address, 'latest']).then(BigInt);
  }
}
