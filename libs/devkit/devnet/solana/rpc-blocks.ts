import { BLOCKHASH_AGE } from './chain.js';
import type { Block } from './chain-types.js';
import { unitPriceOf } from './fees.js';
import { API_VERSION, type Methods, type RpcContext } from './rpc-context.js';
import { blockCleanedUp, blockNotAvailable, invalidParams, slotSkipped } from './rpc-errors.js';
import {
  asAddress,
  type Config,
  configAt,
  integerAt,
  listAt,
  optionalInteger,
  type Params,
  settledCommitment,
  textAt,
} from './rpc-params.js';
import { blockView, showBlock } from './rpc-views.js';

/** Methods about slots and blocks. Blocks are shown once they are confirmed, as nodes do. */
const SLOTS_PER_EPOCH = 432_000;
const MAX_BLOCK_RANGE = 500_000;
const MAX_PRIORITY_ACCOUNTS = 128;

export function blockMethods(rpc: RpcContext): Methods {
  const { chain } = rpc;
  const { ledger } = chain;

  const settledBlock = (slot: number, config: Config): Block => {
    const level = ledger.at(settledCommitment(config));
    const block = ledger.atSlot(slot);
    if (slot > ledger.root.slot) {
      if (block && block.height <= level.height) return block;
      throw blockNotAvailable(slot);
    }
    if (block) return block;
    if (slot < ledger.first.slot) throw blockCleanedUp(slot, ledger.first.slot);
    throw slotSkipped(slot, rpc.skippedCode);
  };

  const slots = (from: number, to: number, most: number, config: Config): number[] => {
    const level = ledger.at(settledCommitment(config));
    const found: number[] = [];
    for (const { slot } of ledger.range(ledger.first.height, level.height)) {
      if (slot >= from && slot <= to && found.length < most) found.push(slot);
    }
    return found;
  };

  const transactionsTo = (height: number): number =>
    ledger.range(ledger.first.height, height).reduce((sum, block) => sum + block.transactions.length, 0);

  return {
    getHealth: () => 'ok',
    getVersion: () => ({ 'feature-set': 0, 'solana-core': API_VERSION }),
    getGenesisHash: () => chain.genesisHash,
    getSlot: (params) => rpc.block(configAt(params, 0)).slot,
    getBlockHeight: (params) => rpc.block(configAt(params, 0)).height,
    getTransactionCount: (params) => transactionsTo(rpc.block(configAt(params, 0)).height),
    getEpochInfo: (params) => {
      const { slot: absoluteSlot, height: blockHeight } = rpc.block(configAt(params, 0));
      const epoch = Math.floor(absoluteSlot / SLOTS_PER_EPOCH);
      const slotIndex = absoluteSlot % SLOTS_PER_EPOCH;
      const transactionCount = transactionsTo(blockHeight);
      return { absoluteSlot, blockHeight, epoch, slotIndex, slotsInEpoch: SLOTS_PER_EPOCH, transactionCount };
    },
    getFirstAvailableBlock: () => ledger.first.slot,
    minimumLedgerSlot: () => ledger.first.slot,
    getBlock: (params) => {
      const slot = integerAt(params, 0);
      const config = blockConfig(params, 1);
      const view = blockView(config);
      return showBlock(settledBlock(slot, config), view);
    },
    getBlockTime: (params) => settledBlock(integerAt(params, 0), { commitment: 'confirmed' }).time,
    getBlocks: (params) => {
      const from = integerAt(params, 0);
      // The last slot may be left out, with the configuration in its place.
      const open = typeof params[1] === 'object' && params[1] !== null;
      const to = open ? null : optionalInteger(params[1]);
      const end = to ?? Number.MAX_SAFE_INTEGER;
      if (to !== null && to < from) return [];
      if (to !== null && to - from > MAX_BLOCK_RANGE)
        throw invalidParams(`Slot range too large; max ${MAX_BLOCK_RANGE}`);
      return slots(from, end, MAX_BLOCK_RANGE, configAt(params, open ? 1 : 2));
    },
    getBlocksWithLimit: (params) => {
      const from = integerAt(params, 0);
      const limit = integerAt(params, 1);
      if (limit > MAX_BLOCK_RANGE) throw invalidParams(`Limit too large; max ${MAX_BLOCK_RANGE}`);
      return slots(from, Number.MAX_SAFE_INTEGER, limit, configAt(params, 2));
    },
    getLatestBlockhash: (params) => {
      const block = rpc.block(configAt(params, 0));
      return rpc.answer(block, { blockhash: block.hash, lastValidBlockHeight: block.height + BLOCKHASH_AGE });
    },
    isBlockhashValid: (params) => {
      const hash = asAddress(textAt(params, 0, 'a string'));
      const block = rpc.block(configAt(params, 1));
      const known = ledger.byHash(hash);
      const valid = known !== undefined && known.height <= block.height && block.height - known.height <= BLOCKHASH_AGE;
      return rpc.answer(block, valid);
    },
    getRecentPrioritizationFees: (params) => {
      const locked = params.length === 0 ? [] : listAt(params, 0, MAX_PRIORITY_ACCOUNTS, 'accounts').map(asAddress);
      return ledger.range(ledger.tip.height - BLOCKHASH_AGE + 1, ledger.tip.height).map((block) => {
        const prices = block.transactions
          .filter(({ transaction }) => locked.every((address) => transaction.keys.includes(address)))
          .map(({ transaction }) => unitPriceOf(transaction));
        const least = prices.reduce<bigint | null>((min, price) => (min === null || price < min ? price : min), null);
        return { slot: block.slot, prioritizationFee: least ?? 0n };
      });
    },
  };
}

/** Old clients give the encoding alone in the place of the configuration. */
export function blockConfig(params: Params, index: number): Config {
  return typeof params[index] === 'string' ? { encoding: params[index] } : configAt(params, index);
}
