import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { JsonNumber } from '#libs/core/exact-json.js';
import type { Hex } from '#libs/core/ids.js';
import { type JsonObject, type JsonValue } from '#libs/serve/http/json-body.js';
import { badRequest, HttpProblem } from '#libs/serve/http/problem.js';
import { type Instruction, idOf, SYSTEM_PROGRAM, signs, u32, u64, writes } from '#programs/client.js';
import { encodingOf, type TransactionEncoding } from '../hosts/solana-texts.js';
import { encodeTransaction } from '../solana/transaction/v1-transaction.js';

/** The fee of each transaction, where this instance names a wallet that receives it. */
const FEE_LAMPORTS = 1_000_000n;
const MOST_WALLETS = 50;
const SIGNATURE_LAMPORTS = 5_000n;
const MOST_TIP = 1_000_000_000_000n;
/** Three transfers of the system program, and some room. */
const CONFIG = {
  ...{ computeUnitLimit: 1_000, loadedAccountsDataSizeLimit: 65_536, priorityFeeLamports: 0n, heapSize: null },
};

export interface ConsolidateRequest {
  readonly wallets: readonly Hex[];
  readonly receiver: Hex;
  readonly percentage: bigint;
  readonly tipLamports: bigint;
  readonly encoding: TransactionEncoding;
}

export type SourceWalletState = SolanaAccount | null;

export function readConsolidate(body: JsonObject): ConsolidateRequest {
  const { wallets: list } = body;
  if (!Array.isArray(list) || list.length === 0 || list.length > MOST_WALLETS) {
    throw badRequest(`wallets must be a list of 1 to ${MOST_WALLETS} addresses`);
  }
  const wallets = list.map((text, index) => addressOf(text, `wallets[${index}]`));
  const receiver = addressOf(body.receiver, 'receiver');
  wallets.forEach((wallet, index) => {
    if (wallet === receiver) throw badRequest(`wallets[${index}] is the receiver`);
    if (wallets.indexOf(wallet) < index) throw badRequest(`wallets[${index}] is there twice`);
  });
  return {
    ...{ wallets, receiver },
    percentage: wholeOf(body.percentage, 'percentage', 1n, 100n),
    tipLamports: body.tipLamports === undefined ? 0n : wholeOf(body.tipLamports, 'tipLamports', 0n, MOST_TIP),
    encoding: encodingOf(body),
  };
}

export interface ConsolidationState {
  /** The states of the wallets in their order, then that of the receiver. */
  readonly states: readonly SourceWalletState[];
  /** The least lamports that an account without data must hold. */
  readonly rent: bigint;
  readonly feeWallet: Hex | null;
  /** The account that gets the tip; null: there is no tip. */
  readonly tipAccount: Hex | null;
  readonly blockhash: Uint8Array;
}

/**
 * Builds one unsigned v1 transaction for each wallet, in their order. Invariant: a wallet gives exactly its share,
 * rounded down; fees and tip are paid from the share, and the receiver gets the rest.
 */
export function consolidation(request: ConsolidateRequest, state: ConsolidationState): Buffer[] {
  const { wallets, receiver, percentage, tipLamports } = request;
  const { states, rent, feeWallet, tipAccount, blockhash } = state;
  const receiverHolds = states[wallets.length]?.lamports ?? 0n;
  const fee = feeWallet === null ? 0n : FEE_LAMPORTS;
  return wallets.map((wallet, index) => {
    const held = states[index]?.lamports ?? 0n;
    const refuse = (why: string): never => {
      throw new HttpProblem(422, 'insufficient_funds', `wallets[${index}] holds ${held} lamports: ${why}`);
    };
    const owner = states[index]?.owner;
    if (owner !== undefined && idOf(owner) !== SYSTEM_PROGRAM) throw badRequest(`wallets[${index}] is no wallet`);
    const share = (held * percentage) / 100n;
    const costs = SIGNATURE_LAMPORTS + fee + tipLamports;
    const given = share - costs;
    if (given <= 0n) refuse(`${percentage}% of it does not pay fees and tip of ${costs}`);
    const left = held - share;
    if (left > 0n && left < rent) refuse(`${left} would be left, and an account holds at least ${rent} or nothing`);
    if (receiverHolds + given < rent)
      refuse(`the receiver would get ${given}, and a new account holds at least ${rent}`);
    const transfers: Instruction[] = [transfer(wallet, receiver, given)];
    if (feeWallet !== null) transfers.push(transfer(wallet, feeWallet, fee));
    if (tipAccount !== null) transfers.push(transfer(wallet, tipAccount, tipLamports));
    return encodeTransaction(wallet, transfers, CONFIG, blockhash).bytes;
  });
}

const transfer = (from: Hex, to: Hex, lamports: bigint): Instruction => ({
  program: SYSTEM_PROGRAM,
  accounts: [signs(from, true), writes(to)],
  data: Buffer.concat([u32(2), u64(lamports)]),
});

function addressOf(value: JsonValue | undefined, field: string): Hex {
  const id = typeof value === 'string' ? solanaIds.parseAddress(value) : null;
  if (id === null) throw badRequest(`${field} must be a Solana address: base58 of 32 bytes`);
  return id;
}

function wholeOf(value: JsonValue | undefined, field: string, least: bigint, most: bigint): bigint {
  const number = value instanceof JsonNumber ? value.integer : null;
  if (number === null || number < least || number > most) {
    throw badRequest(`${field} must be a whole number from ${least} to ${most}`);
  }
  return number;
}
