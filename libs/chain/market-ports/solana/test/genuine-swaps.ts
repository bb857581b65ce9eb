import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { ChainMoment, KnownAccounts, SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import type { SolanaCall, SolanaSwapOrder } from '../swap-instructions.js';

/** A swap that a venue's deployed program made in the virtual machine: accounts before, instruction, and what moved. */
export interface GenuineSwap {
  readonly order: SolanaSwapOrder;
  readonly at: ChainMoment;
  /** All that a quote and an instruction need. */
  readonly known: KnownAccounts;
  readonly mints: readonly [string, string];
  readonly call: SolanaCall;
  readonly moved: { readonly amountIn: bigint; readonly amountOut: bigint };
}

const FOLDER = join(process.cwd(), 'test/genuine/fixtures');

/** Recorded ones, by the folder of the venue. */
export function recordedSwaps(): ReadonlyMap<string, readonly GenuineSwap[]> {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json.gz'));
  return new Map(
    files.map((name) => [
      name.slice(0, -'.json.gz'.length),
      (JSON.parse(gunzipSync(readFileSync(join(FOLDER, name))).toString()) as Written[]).map(read),
    ]),
  );
}

export function recordSwaps(venue: string, swaps: readonly GenuineSwap[]): void {
  writeFileSync(join(FOLDER, `${venue}.json.gz`), gzipSync(JSON.stringify(swaps.map(write)), { level: 9 }));
}

interface Written {
  order: Omit<SolanaSwapOrder, 'amount' | 'limit'> & { amount: string; limit: string };
  at: [string, string];
  known: [string, [string, string, string] | null][];
  mints: [string, string];
  call: { program: string; accounts: SolanaCall['accounts']; data: string };
  moved: [string, string];
}

const write = ({ order, at, known, mints, call, moved }: GenuineSwap): Written => ({
  order: { ...order, amount: String(order.amount), limit: String(order.limit) },
  at: [String(at.slot), String(at.unixTime)],
  known: [...known].map(([address, account]) => [
    address,
    account && [account.owner, String(account.lamports), Buffer.from(account.data).toString('base64')],
  ]),
  mints: [...mints],
  call: { ...call, data: Buffer.from(call.data).toString('hex') },
  moved: [String(moved.amountIn), String(moved.amountOut)],
});

const read = ({ order, at, known, mints, call, moved }: Written): GenuineSwap => ({
  order: { ...order, amount: BigInt(order.amount), limit: BigInt(order.limit) },
  at: { slot: BigInt(at[0]), unixTime: BigInt(at[1]) },
  known: new Map(
    known.map(([address, account]): [string, SolanaAccount | null] => [
      address,
      account && { owner: account[0], lamports: BigInt(account[1]), data: Buffer.from(account[2], 'base64') },
    ]),
  ),
  mints,
  call: { ...call, data: Buffer.from(call.data, 'hex') },
  moved: { amountIn: BigInt(moved[0]), amountOut: BigInt(moved[1]) },
});
