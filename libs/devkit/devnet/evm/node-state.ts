import { open, stat } from 'node:fs/promises';

/**
 * The state of an anvil as its file holds it: accounts, blocks and mined transactions. A file may be cut short, and one of
 * an earlier version larger than what a string can hold, so the height is read without parsing the whole.
 */
interface NodeState {
  accounts: Record<string, { storage?: Record<string, string> }>;
  blocks: { header: { number: string } }[];
  transactions: { block_number: number | string }[];
}

/** Blocks of text that are read to find the height, which comes after the accounts. */
const SCAN_BYTES = 1 << 20;
/** A larger file is left as it is: parsing it takes longer than it saves. */
const MOST_PARSED_BYTES = 256 << 20;

/**
 * The state without what the node need not hold any more: blocks below the newest `keep`, their transactions, and storage
 * that is zero. Null where the file is too large to look at. The accounts are those of the newest block, whatever is kept.
 */
export function trimmedState(bytes: Buffer, keep: number): string | null {
  if (bytes.length > MOST_PARSED_BYTES) return null;
  const state = JSON.parse(bytes.toString('utf8')) as NodeState;
  const numberOf = (block: NodeState['blocks'][number]): number => Number(block.header.number);
  const head = state.blocks.reduce((most, block) => Math.max(most, numberOf(block)), 0);
  const oldest = oldestServed(head, keep);
  // Block 0 is made by the node itself, equal to the one it would load.
  state.blocks = state.blocks.filter((block) => numberOf(block) >= oldest || numberOf(block) === 0);
  state.transactions = state.transactions.filter((mined) => Number(mined.block_number) >= oldest);
  for (const { storage = {} } of Object.values(state.accounts)) {
    for (const [slot, value] of Object.entries(storage)) if (BigInt(value) === 0n) delete storage[slot];
  }
  return JSON.stringify(state);
}

/** Lowest of the newest `keep` blocks. */
const oldestServed = (head: number, keep: number): number => Math.max(0, head - keep + 1);

/** Height of a state file, or null when it is missing or cut short. */
export async function stateHeight(path: string): Promise<number | null> {
  let size: number;
  try {
    size = (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const file = await open(path, 'r');
  try {
    const tail = Buffer.alloc(Math.min(size, 64));
    await file.read(tail, 0, tail.length, size - tail.length);
    if (!/"historical_states":\s*null\s*\}\s*$/.test(tail.toString('latin1'))) return null;
    let carried = '';
    const chunk = Buffer.alloc(SCAN_BYTES);
    for (let at = 0; at < size; at += SCAN_BYTES) {
      const { bytesRead } = await file.read(chunk, 0, SCAN_BYTES, at);
      const text = carried + chunk.toString('latin1', 0, bytesRead);
      const found = /"best_block_number":\s*"?(0x[0-9a-f]+|\d+)"?[,}]/.exec(text);
      if (found) return Number(found[1]);
      carried = text.slice(-64);
    }
    return null;
  } finally {
    await file.close();
  }
}
