import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { readSolanaTransaction } from '#libs/chain/chains/solana/read-transaction.js';
import { TIDEPOOL_AMM, TIDEPOOL_LAUNCHPAD } from '#libs/chain/chains/solana/tidepool-programs.js';
import { tidepoolLaunchpad } from '#libs/chain/launchpads/tidepool/decode.js';
import { tradesOf, venuesByProgram } from '#libs/chain/market-ports/solana/trades.js';
import { tidepoolAmm } from '#libs/chain/venues/tidepool-amm/decode.js';
import type { Hex } from '#libs/core/ids.js';
import { rpcCall } from '#libs/devkit/devnet/solana/test/rpc-call.js';

/**
 * The confirmed chain as its node tells it over plain JSON-RPC: every block from the first one on, the trades in it, and
 * what moved between owners of tokens by the balances before and after each transaction. It shares the decoders of venues
 * with the source and nothing else.
 */
export const CONFIRMED = { commitment: 'confirmed' };
const venues = venuesByProgram([tidepoolAmm(TIDEPOOL_AMM)], [tidepoolLaunchpad(TIDEPOOL_LAUNCHPAD)]);

export interface TruthTrade {
  block: number;
  time: number;
  tx: Hex;
  /** Number of the trade inside its transaction. */
  number: number;
  wallet: Hex;
  pool: Hex;
  dex: string;
  inputMint: Hex;
  inputAmount: bigint;
  outputMint: Hex;
  outputAmount: bigint;
}

interface TruthBlock {
  slot: number;
  hash: Hex;
  parentHash: Hex;
  time: number;
  trades: TruthTrade[];
}

export interface ChainTruth {
  blocks: TruthBlock[];
  head: TruthBlock;
  trades: TruthTrade[];
  /** By `mint owner`: what the owner holds more than at the start; no entry of 0. */
  moved: Map<string, bigint>;
  /** Every owner that some balance names, also where nothing is left of it. */
  named: Set<Hex>;
}

interface Balance {
  mint: string;
  owner: string;
  uiTokenAmount: { amount: string };
}

interface NodeTransaction {
  meta: { preTokenBalances: Balance[]; postTokenBalances: Balance[] };
}

interface NodeBlock {
  blockhash: string;
  previousBlockhash: string;
  blockTime: number;
  transactions: NodeTransaction[];
}

const hexOf = (address: string): Hex => {
  const id = solanaIds.parseAddress(address);
  if (id === null) throw new Error(`${address} is no address`);
  return id;
};

/** The result of a call that must succeed. */
export async function ask<T>(url: string, method: string, ...params: unknown[]): Promise<T> {
  const { result, error } = await rpcCall(url, method, ...params);
  if (error) throw new Error(`${method} ${JSON.stringify(params)}: ${error.message}`);
  return result as T;
}

export async function confirmedHead(url: string): Promise<Hex> {
  const slot = await ask<number>(url, 'getSlot', CONFIRMED);
  const config = { ...CONFIRMED, transactionDetails: 'none', rewards: false };
  return hexOf((await ask<NodeBlock>(url, 'getBlock', slot, config)).blockhash);
}

export async function readTruth(url: string): Promise<ChainTruth> {
  const tip = await ask<number>(url, 'getSlot', CONFIRMED);
  const slots = await ask<number[]>(url, 'getBlocks', 0, tip, CONFIRMED);
  const config = { ...CONFIRMED, encoding: 'json', maxSupportedTransactionVersion: 1, rewards: false };
  const blocks: TruthBlock[] = [];
  const moved = new Map<string, bigint>();
  const named = new Set<Hex>();
  for (const slot of slots) {
    const block = await ask<NodeBlock>(url, 'getBlock', slot, config);
    blocks.push(truthBlock(slot, block));
    for (const { meta } of block.transactions) {
      for (const balance of meta.preTokenBalances) move(moved, balance, -1n);
      for (const balance of meta.postTokenBalances) move(moved, balance, 1n);
      for (const { owner } of [...meta.preTokenBalances, ...meta.postTokenBalances]) named.add(hexOf(owner));
    }
  }
  return { blocks, head: blocks.at(-1)!, trades: blocks.flatMap(({ trades }) => trades), moved, named };
}

function truthBlock(slot: number, block: NodeBlock): TruthBlock {
  const time = block.blockTime * 1000;
  const trades = block.transactions.flatMap((entry) => {
    const tx = readSolanaTransaction(entry as never);
    return tradesOf(tx, venues).map(
      ({ wallet, pool, dex, inputMint, inputAmount, outputMint, outputAmount }, number): TruthTrade => ({
        ...{ block: slot, time, tx: solanaIds.parseTx(tx.signature)!, number, wallet, pool, dex },
        ...{ inputMint, inputAmount, outputMint, outputAmount },
      }),
    );
  });
  return { slot, hash: hexOf(block.blockhash), parentHash: hexOf(block.previousBlockhash), time, trades };
}

function move(moved: Map<string, bigint>, { mint, owner, uiTokenAmount }: Balance, sign: bigint): void {
  const key = `${hexOf(mint)} ${hexOf(owner)}`;
  const sum = (moved.get(key) ?? 0n) + sign * BigInt(uiTokenAmount.amount);
  if (sum === 0n) moved.delete(key);
  else moved.set(key, sum);
}

/** Bytes of an account after the confirmed block; null where there is none. */
export async function accountData(url: string, address: string): Promise<Buffer | null> {
  const config = { ...CONFIRMED, encoding: 'base64' };
  const { value } = await ask<{ value: { data: [string, string] } | null }>(url, 'getAccountInfo', address, config);
  return value && Buffer.from(value.data[0], 'base64');
}
