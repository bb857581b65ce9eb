import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { readSolanaTransaction } from '#libs/chain/chains/solana/read-transaction.js';
import { solanaLaunchpads } from '#libs/chain/launchpads/solana-registry.js';
import { solanaVenues } from '#libs/chain/venues/solana-registry.js';
import type { Hex } from '#libs/core/ids.js';
import { type Recorded, recorded } from '#libs/devkit/testing/solana/recorded-solana.js';
import type { AccountReads, RawSolanaBlock } from '../raw-block.js';
import { solanaTables } from '../tables.js';

/** Recorded transactions as blocks, and a node that knows none of their accounts any more but those it is given. */
export const tables = solanaTables([...solanaVenues, ...solanaLaunchpads]);

const slotHash = (slot: number, branch = 0): Hex => `${branch}f`.padStart(8, '0') + slot.toString(16).padStart(56, '0');

export function blockOf(slot: number, parentSlot: number, entries: readonly Recorded[], branch = 0): RawSolanaBlock {
  return {
    slot,
    parentSlot,
    hash: slotHash(slot, branch),
    parentHash: slotHash(parentSlot, branch),
    time: 1_700_000_000_000 + slot * 400,
    source: 'http',
    observedAt: 0,
    proof: 'none',
    // Votes in between are left out of raw blocks.
    transactions: entries.map(({ answer }, n) => ({ index: 3 * n + 1, tx: readSolanaTransaction(answer as never) })),
  };
}

/** All recorded transactions in blocks of that many, a slot left out after every third. */
export function recordedBlocks(size: number): { block: RawSolanaBlock; entries: readonly Recorded[] }[] {
  const blocks: { block: RawSolanaBlock; entries: readonly Recorded[] }[] = [];
  let parent = 1000;
  for (let at = 0; at < recorded.length; at += size) {
    const slot = parent + (blocks.length % 3 === 2 ? 2 : 1);
    const entries = recorded.slice(at, at + size);
    blocks.push({ block: blockOf(slot, parent, entries), entries });
    parent = slot;
  }
  return blocks;
}

export class GivenAccounts implements AccountReads {
  readonly batches: (readonly string[])[] = [];
  readonly accountsByAddress = new Map<string, SolanaAccount>();

  async accounts(addresses: readonly string[]): Promise<(SolanaAccount | null)[]> {
    this.batches.push(addresses);
    return addresses.map((address) => this.accountsByAddress.get(address) ?? null);
  }
}
