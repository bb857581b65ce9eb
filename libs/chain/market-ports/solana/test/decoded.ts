import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { SolanaInstruction } from '#libs/chain/chains/solana/instruction.js';
import type { Json } from '#libs/chain/chains/solana/malformed.js';
import { readSolanaTransaction } from '#libs/chain/chains/solana/read-transaction.js';
import { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import type { SolanaLaunch, SolanaLaunchpad, SolanaLeg, SolanaVenue } from '../venue.js';

/** Recorded transactions of mainnet by their file's name, with `undoFailures` those that failed as if they had gone through. */
export function recordedTransactions(undoFailures = false): Map<string, SolanaTransaction> {
  const path = join(process.cwd(), 'apps/cli/src/decode/fixtures/solana-transactions.json.gz');
  const recorded = JSON.parse(gunzipSync(readFileSync(path)).toString()) as {
    name: string;
    answer: Json & { meta: Json };
  }[];
  return new Map(
    recorded
      .filter(({ answer }) => undoFailures || answer.meta.err === null)
      .map(({ name, answer }) => [name, readSolanaTransaction({ ...answer, meta: { ...answer.meta, err: null } })]),
  );
}

export const legsIn = (tx: SolanaTransaction, venue: SolanaVenue): SolanaLeg[] =>
  tx.instructions.flatMap(({ program }, index) => (program === venue.program ? [...venue.legs(tx, index)] : []));

export const launchesIn = (tx: SolanaTransaction, venue: SolanaLaunchpad): SolanaLaunch[] =>
  tx.instructions.flatMap(({ program }, index) => (program === venue.program ? [...venue.launches(tx, index)] : []));

/** What a token account held before and after a transaction; undefined where the transaction does not say. */
export function balancesOf(
  tx: SolanaTransaction,
  account: string,
): { mint: string; before: bigint; after: bigint } | undefined {
  const index = tx.keys.indexOf(account);
  const after = tx.tokensAfter.find((balance) => balance.account === index);
  const before = tx.tokensBefore.find((balance) => balance.account === index);
  return after && before && { mint: after.mint, before: before.amount, after: after.amount };
}

/** Adds up what legs say went into (above zero) and out of each of their pools' vaults, by vault. */
export function flowsOf(tx: SolanaTransaction, legs: readonly SolanaLeg[]): Map<string, bigint> {
  const flows = new Map<string, bigint>();
  for (const { stated, inputMint, inputAmount, outputMint, outputAmount } of legs) {
    for (const vault of stated?.vaults ?? []) {
      const mint = tx.mintOf(tx.keys.indexOf(vault));
      const moved = mint === inputMint ? inputAmount : mint === outputMint ? -outputAmount : undefined;
      if (moved === undefined) throw new Error(`vault ${vault} is of neither mint of its leg`);
      flows.set(vault, (flows.get(vault) ?? 0n) + moved);
    }
  }
  return flows;
}

const CPI_TAG = 'e445a52e51cb9a1d';

/** A transaction of one instruction that emits these events. */
export function emitting(
  venue: SolanaVenue,
  instruction: { data: string; accounts: string[] },
  events: readonly Uint8Array[],
  failed = false,
): SolanaTransaction {
  const keys = [...new Set(['trader', venue.program, ...instruction.accounts])];
  const places = instruction.accounts.map((key) => keys.indexOf(key));
  const calls = events.map(
    (event, nth) =>
      new SolanaInstruction(venue.program, [0], Buffer.concat([Buffer.from(CPI_TAG, 'hex'), event]), 0, nth, 2),
  );
  const outer = new SolanaInstruction(venue.program, places, Buffer.from(instruction.data, 'hex'), 0, -1, 1);
  return new SolanaTransaction('', 1, failed, keys, 1, [outer, ...calls], 0n, [], [], [], [], []);
}

export const u64 = (value: bigint): Buffer => {
  const data = Buffer.alloc(8);
  data.writeBigUInt64LE(value);
  return data;
};
