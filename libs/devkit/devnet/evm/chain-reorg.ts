import type { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import type { AnvilRpc } from './anvil-rpc.js';
import { type EvmWireTransaction, mineWhatGoes, type SignedTransaction } from './transaction-sender.js';

/**
 * Replaces the newest blocks by as many others. Most transactions come again under their old hashes. A few transactions
 * of the traders' wallets are lost; those that clients signed never are: on a real chain they would wait in the nodes'
 * pools. Every block is a second later than the one it replaces, so that none keeps its hash and times still ascend. In
 * between the head is lower for a moment, as it is on a node that switches branches.
 */
interface MinedBlock {
  timestamp: string;
  transactions: MinedTransaction[];
}

interface MinedTransaction {
  hash: string;
  /** Zero for an impersonated wallet. */
  r: string;
  from: string;
  to: string | null;
  input: string;
  value: string;
  gas: string;
  nonce: string;
  maxFeePerGas: string;
  maxPriorityFeePerGas: string;
}

const LOST_SHARE = 0.12;

/** Returns the time of the new head. The spared account, which funds others, loses nothing. */
export async function replaceBlocks(
  rpc: AnvilRpc,
  depth: number,
  random: SeededRandom,
  spared: string,
): Promise<number> {
  const head = Number(await rpc.call<string>('eth_blockNumber'));
  if (depth > head) throw new RangeError(`cannot replace ${depth} blocks of ${head}`);
  const blocks = (await rpc.batch(
    Array.from({ length: depth }, (_, i) => ({
      method: 'eth_getBlockByNumber',
      params: [`0x${(head - depth + 1 + i).toString(16)}`, true],
    })),
  )) as MinedBlock[];
  const signed = await readSigned(rpc, blocks);
  await rpc.call('anvil_rollback', [depth]);
  // A lost wallet stays lost, so that none of its later nonces waits for one that never comes.
  const lost = new Set<string>();
  let timestamp = 0;
  for (const block of blocks) {
    for (const { from, hash } of block.transactions) {
      if (from !== spared && !signed.has(hash) && random.chance(LOST_SHARE)) lost.add(from);
    }
    timestamp = Math.max(timestamp, Number(block.timestamp)) + 1;
    const kept = block.transactions.filter(({ from }) => !lost.has(from));
    const again = kept.map((tx) => signed.get(tx.hash) ?? resend(tx));
    await mineWhatGoes(rpc, timestamp, again);
  }
  return timestamp;
}

/** By hash. */
async function readSigned(rpc: AnvilRpc, blocks: readonly MinedBlock[]): Promise<Map<string, SignedTransaction>> {
  const hashes = blocks.flatMap(({ transactions }) =>
    transactions.filter(({ r }) => BigInt(r) !== 0n).map(({ hash }) => hash),
  );
  const raw = await rpc.batch(hashes.map((hash) => ({ method: 'eth_getRawTransactionByHash', params: [hash] })));
  return new Map(hashes.map((hash, i) => [hash, { raw: raw[i] as string }]));
}

function resend(tx: MinedTransaction): EvmWireTransaction {
  const { from, to, input, value, gas, nonce, maxFeePerGas, maxPriorityFeePerGas } = tx;
  const target = to === null ? {} : { to };
  return { from, ...target, data: input, value, gas, nonce, maxFeePerGas, maxPriorityFeePerGas };
}
