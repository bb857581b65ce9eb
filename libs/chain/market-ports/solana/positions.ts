import { createHash } from 'node:crypto';
import { readTransfer } from '#libs/chain/chains/solana/token-transfer.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { isEventCall } from './event-layout.js';

/**
 * What an instruction that is no swap did to the liquidity of a pool. Invariant: amounts are those that the position itself
 * gained or lost, though others of the same instruction made up for them. A change with no ticks does not tell where it was;
 * one with no amounts either may have been any. Keys are base58 texts.
 */
export interface SolanaPositionChange {
  readonly pool: string;
  readonly owner: string;
  readonly tickLower: number;
  readonly tickUpper: number;
  readonly liquidityDelta: bigint;
  readonly amountA: bigint;
  readonly amountB: bigint;
  /** Vault of token A; empty where a program has its tokens in the order of their bytes, as the log has them. */
  readonly vaultA: string;
}

/** Where an instruction that moves liquidity names its accounts. */
export interface PositionPlaces {
  readonly pool: number;
  readonly owner: number;
  readonly vaults: readonly [number, number];
}

export interface PositionRules {
  /** By the tag of the instruction. */
  readonly moves: ReadonlyMap<string, PositionPlaces>;
  /** Tags of instructions that leave all positions as they are; swaps among them. */
  readonly harmless: ReadonlySet<string>;
  readonly tokensInOrder: boolean;
  /** What the program itself says; null where it says nothing. */
  told(tx: SolanaTransaction, index: number): readonly ToldChange[] | null;
  /** Of an instruction whose accounts have no known places. */
  other?(tx: SolanaTransaction, index: number): readonly SolanaPositionChange[] | null;
}

/** All zero but the amounts where the program says no more. */
export type ToldChange = Pick<
  SolanaPositionChange,
  'tickLower' | 'tickUpper' | 'liquidityDelta' | 'amountA' | 'amountB'
>;

const NO_CHANGES: readonly SolanaPositionChange[] = [];
const UNTOLD: ToldChange = { tickLower: 0, tickUpper: 0, liquidityDelta: 0n, amountA: 0n, amountB: 0n };

/** Tags of Anchor instructions, by their names. */
export const instructionTags = (names: string): string[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => createHash('sha256').update(`global:${name}`).digest('hex').slice(0, 16));

/**
 * Changes of the instruction at that position. An instruction that is not known may have moved anything of the pools that it
 * names: there is one change for each of its accounts, of which most are no pool. Never throws.
 */
export function positionChanges(
  rules: PositionRules,
  tx: SolanaTransaction,
  index: number,
): readonly SolanaPositionChange[] {
  const instruction = tx.instructions[index]!;
  const { data } = instruction;
  if (isEventCall(data)) return NO_CHANGES;
  const tag = Buffer.from(data.subarray(0, 8)).toString('hex');
  if (rules.harmless.has(tag)) return NO_CHANGES;
  const places = rules.moves.get(tag);
  if (places === undefined) return rules.other?.(tx, index) ?? anywhere(tx, instruction.accounts);
  const changes = rules.told(tx, index) ?? [moved(tx, index, places)];
  const vaultA = rules.tokensInOrder ? '' : tx.accountKey(instruction, places.vaults[0]);
  const [pool, owner] = [tx.accountKey(instruction, places.pool), tx.accountKey(instruction, places.owner)];
  return changes.map((change) => ({ ...change, pool, owner, vaultA }));
}

const anywhere = (tx: SolanaTransaction, accounts: readonly number[]): SolanaPositionChange[] =>
  [...new Set(accounts)].map((at) => ({ ...UNTOLD, pool: tx.keys[at] ?? '', owner: tx.keys[0] ?? '', vaultA: '' }));

/** What the vaults gained and lost below an instruction whose events are missing. */
function moved(tx: SolanaTransaction, index: number, { vaults }: PositionPlaces): ToldChange {
  const instruction = tx.instructions[index]!;
  const [a, b] = vaults.map((nth) => tx.account(instruction, nth));
  const amounts = [0n, 0n];
  for (let i = index + 1, end = tx.callsEnd(index); i < end; i++) {
    const transfer = readTransfer(tx, tx.instructions[i]!);
    if (transfer === null) continue;
    for (const [side, vault] of [a, b].entries()) {
      if (transfer.destination === vault) amounts[side]! += transfer.amount;
      if (transfer.source === vault) amounts[side]! -= transfer.amount;
    }
  }
  return { ...UNTOLD, amountA: amounts[0]!, amountB: amounts[1]! };
}
