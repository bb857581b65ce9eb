import type { Hex } from 'viem';
import { quantityText } from '#libs/devkit/chain-builder/rpc-shapes.js';
import type { ContractDeployment } from '../genuine-contracts.js';
import type { LocalChain } from '../local-chain.js';
import type { Outgoing } from '../transaction-sender.js';

const PER_BLOCK = 6;
const GAS = 15_000_000;

/** Puts contracts at given addresses of a running chain: each runs its init code there, and what that returned stays. */
export async function placeContracts(chain: LocalChain, items: readonly ContractDeployment[]): Promise<void> {
  const { rpc, deployer: from } = chain;
  const setCode = (code: (item: ContractDeployment, n: number) => Hex) =>
    rpc.batch(items.map((item, n) => ({ method: 'anvil_setCode', params: [item.address, code(item, n)] })));
  await setCode(({ initCode }) => initCode);
  await sendAll(
    chain,
    items.map(({ address }) => ({ from, to: address, gas: GAS })),
  );
  const questions = items.map(({ address }) => ({ from, to: address, gas: quantityText(2 * GAS) }));
  const runtimes = await rpc.batch(questions.map((question) => ({ method: 'eth_call', params: [question, 'latest'] })));
  await setCode((_, n) => runtimes[n] as Hex);
}

/** Sends them in their order, each from an account of the node, and insists that all succeed. */
export async function sendAll(chain: LocalChain, transactions: readonly Outgoing[]): Promise<void> {
  const { rpc } = chain;
  for (let at = 0; at < transactions.length; at += PER_BLOCK) {
    const sent = transactions.slice(at, at + PER_BLOCK).map(({ from, to, data, gas = 1_200_000 }) => ({
      ...{ from, to, gas: quantityText(gas) },
      ...(data && { data }),
    }));
    const hashes = await rpc.batch(sent.map((one) => ({ method: 'eth_sendTransaction', params: [one] })));
    await chain.mine({ traders: false });
    const receipts = await rpc.batch(hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })));
    const failed = receipts.findIndex((receipt) => (receipt as { status?: Hex } | null)?.status !== '0x1');
    if (failed !== -1) throw new Error(`transaction ${at + failed} to ${sent[failed]!.to} failed`);
  }
}
