import { readFileSync } from 'node:fs';
import { type Address, encodeFunctionData, getCreateAddress, type Hex, parseAbi } from 'viem';
import type { AnvilRpc } from '../anvil-rpc.js';
import { type Artifact, genuine, initCodeOf } from '../genuine-contracts.js';
import { type ProxyForm, type Specimen, ZOO_SUPPLY } from './specimens.js';

/** Written by contracts/compile.mjs. */
const { contracts } = JSON.parse(readFileSync(new URL('../generated/zoo.json', import.meta.url), 'utf8')) as {
  contracts: Record<string, Artifact>;
};

export interface ZooAnimal {
  readonly specimen: Specimen;
  readonly token: Address;
  /** Its pair with the wrapped coin: a genuine V2 pair, with some of both. */
  readonly pair: Address;
}

const FACTORY = parseAbi(['function createPair(address, address) returns (address)']);
const COIN = parseAbi(['function deposit() payable', 'function transfer(address, uint256)']);
const PAIR = parseAbi(['function sync()']);
const CLONER = parseAbi(['function clone(address, address) returns (address)']);
const SLOTS: Readonly<Record<Exclude<ProxyForm, 'beacon' | 'minimal'>, bigint>> = {
  implementation: 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbcn,
  proxiable: 0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7n,
  zeppelin: 0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3n,
};
const GAS = '0x7a1200';
const EACH = 10n ** 17n;

/** Puts the specimens on a node that mines on request alone, each in a pair of its own. */
export class Zoo {
  private nonce = 0;
  private readonly sent: Hex[] = [];

  private constructor(
    private readonly rpc: AnvilRpc,
    private readonly keeper: Address,
    readonly coin: Address,
    readonly factory: Address,
  ) {}

  static async open(rpc: AnvilRpc, specimens: readonly Specimen[]): Promise<{ zoo: Zoo; animals: ZooAnimal[] }> {
    const [keeper] = (await rpc.call('eth_accounts')) as [Address];
    const at = (nonce: number): Address => getCreateAddress({ from: keeper, nonce: BigInt(nonce) });
    const zoo = new Zoo(rpc, keeper, at(0), at(1));
    await zoo.create(initCodeOf(genuine('weth')));
    await zoo.create(initCodeOf(genuine('v2Factory'), keeper));
    const abi = COIN;
    await zoo.send(zoo.coin, encodeFunctionData({ abi, functionName: 'deposit' }), EACH * BigInt(specimens.length));
    const behind = new Map<string, Address>();
    for (const name of ['ZooBehind', 'ZooBehindMintable', 'ZooCloner']) {
      behind.set(name, await zoo.create(initCodeOf(contracts[name]!)));
    }
    await zoo.mine();
    const animals: ZooAnimal[] = [];
    for (const specimen of specimens) animals.push(await zoo.put(specimen, behind));
    return { zoo, animals };
  }

  private async put(specimen: Specimen, behind: ReadonlyMap<string, Address>): Promise<ZooAnimal> {
    // The pair is made for the address that the token will have, so that the token knows it from the start.
    const steps = specimen.proxy === null ? 0 : specimen.proxy === 'beacon' ? 2 : 1;
    const clone = specimen.proxy === 'minimal';
    const cloner = behind.get('ZooCloner')!;
    const token = clone
      ? getCreateAddress({
          from: cloner,
          nonce: BigInt(await this.rpc.call<Hex>('eth_getTransactionCount', [cloner, 'latest'])),
        })
      : getCreateAddress({ from: this.keeper, nonce: BigInt(this.nonce + 1 + steps) });
    const create = { abi: FACTORY, functionName: 'createPair', args: [token, this.coin] } as const;
    const data = encodeFunctionData(create);
    const answer = await this.rpc.call<Hex>('eth_call', [{ to: this.factory, data }, 'latest']);
    await this.send(this.factory, data);
    const pair: Address = `0x${answer.slice(26)}`;
    await this.deploy(specimen, pair, behind);
    const pay = { abi: COIN, functionName: 'transfer', args: [pair, EACH] } as const;
    await this.send(this.coin, encodeFunctionData(pay));
    await this.send(pair, encodeFunctionData({ abi: PAIR, functionName: 'sync' }));
    await this.mine();
    return { specimen, token, pair };
  }

  private async deploy({ contract, args, proxy }: Specimen, pair: Address, behind: ReadonlyMap<string, Address>) {
    const first = [ZOO_SUPPLY, pair, this.keeper];
    if (proxy === null) return this.create(initCodeOf(contracts[contract]!, ...first, ...args));
    const data = await this.create(initCodeOf(contracts.ZooStart!, ...first, ...args));
    const target = behind.get(contract)!;
    if (proxy === 'minimal') {
      const call = { abi: CLONER, functionName: 'clone', args: [target, data] } as const;
      return this.send(behind.get('ZooCloner')!, encodeFunctionData(call));
    }
    if (proxy !== 'beacon') return this.create(initCodeOf(contracts.ZooSlotProxy!, target, data, SLOTS[proxy]));
    const beacon = await this.create(initCodeOf(contracts.ZooBeacon!, target));
    return this.create(initCodeOf(contracts.ZooBeaconProxy!, beacon, data));
  }

  private async create(data: Hex): Promise<Address> {
    const address = getCreateAddress({ from: this.keeper, nonce: BigInt(this.nonce) });
    await this.send(null, data);
    return address;
  }

  private async send(to: Address | null, data: Hex, value = 0n): Promise<void> {
    const transaction = { from: this.keeper, ...(to && { to }), data, gas: GAS, value: `0x${value.toString(16)}` };
    this.sent.push(await this.rpc.call<Hex>('eth_sendTransaction', [transaction]));
    this.nonce++;
  }

  /** Mines what was sent, and insists that all of it succeeded. */
  private async mine(): Promise<void> {
    await this.rpc.call('evm_mine');
    const asked = this.sent.splice(0).map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
    const receipts = (await this.rpc.batch(asked)) as ({ status: Hex } | null)[];
    const failed = receipts.findIndex((receipt) => receipt?.status !== '0x1');
    if (failed >= 0) throw new Error(`transaction ${failed} of a block of the zoo failed`);
  }
}
