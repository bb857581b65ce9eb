import { WRAPPED_SOL } from '#libs/chain/chains/solana/programs.js';
import type { SolanaTransaction, TokenBalance } from '#libs/chain/chains/solana/transaction.js';

/** What a wallet paid in SOL within a transaction, lamports and wrapped SOL together; less than 0 where it got more. */
export interface CoinPayment {
  /** For what it traded, with all fees of venues, creators and routers. */
  readonly paid: bigint;
  /** For being processed: the transaction's fee and tips to validators. */
  readonly fees: bigint;
}

/**
 * Accounts of Jito's programme of tips, as its documentation lists them (docs.jito.wtf, "Tip Amount") and its method
 * getTipAccounts answers.
 */
const TIP_ACCOUNTS: ReadonlySet<string> = new Set([
  '96gYZGLnJYVFmbjzopPSU6QiEV5fGqZNyN9nmNhvrZU5',
  'HFqU5x63VTqvQss8hp11i4wVV8bD44PvwucfZ2bU7gRe',
  'Cw8CFyM9FkoMi7K7Crf6HNQqf4uEMzpKw6QNghXLvLkY',
  'ADaUMid9yfUytqMBgopwjb2DTLSokTSzL1zt6iGPaS49',
  'DfXygSm4jCyNCybVYYK6DwvWqjKee8pbDmJGcLWNDXjh',
  'ADuUkR4vqLUMWXxW9gh6D6L8pMSawimctcNZ5pGwDcEt',
  'DttWaMuVvTiduZRnguLF7jNxTgiMBZ1hyAumKUiL2KRL',
  '3AVi9Tg9Uo68tJfuvoKvqKNWKkC5wPdSSdeBnizKZ6jT',
]);

/**
 * By the balances before and after. What opens an account is a deposit that its closing gives back, and no payment: it is the
 * payer's of the transaction. `intoPools` is what trades paid into accounts that hold the coin themselves, as curves that may
 * have been opened here. Null where the node did not record the wallet's lamports.
 */
export function coinPayment(
  tx: SolanaTransaction,
  wallet: string,
  intoPools: ReadonlyMap<string, bigint>,
): CoinPayment | null {
  const key = tx.keys.indexOf(wallet);
  if (key < 0 || !isRecorded(tx, key)) return null;
  const isPayer = key === 0;
  let paid = -lamportsMoved(tx, key) - wrappedMoved(tx, wallet);
  let fees = 0n;
  if (isPayer) {
    fees = tx.fee;
    for (let other = 1; other < tx.keys.length; other++) {
      if (TIP_ACCOUNTS.has(tx.keys[other]!)) fees += lamportsMoved(tx, other);
    }
    paid -= deposits(tx, wallet, intoPools);
  }
  return { paid: paid - fees, fees };
}

function lamportsMoved({ lamportsBefore, lamportsAfter }: SolanaTransaction, key: number): bigint {
  const change = (lamportsAfter[key] ?? 0) - (lamportsBefore[key] ?? 0);
  return Number.isSafeInteger(change) ? BigInt(change) : 0n;
}

const isRecorded = ({ lamportsBefore, lamportsAfter }: SolanaTransaction, key: number): boolean =>
  Number.isSafeInteger(lamportsBefore[key]) && Number.isSafeInteger(lamportsAfter[key]);

const isWrapped = ({ mint }: TokenBalance): boolean => mint === WRAPPED_SOL;

function wrappedMoved({ tokensBefore, tokensAfter }: SolanaTransaction, wallet: string): bigint {
  const held = (list: readonly TokenBalance[]): bigint =>
    list.reduce((sum, balance) => (isWrapped(balance) && balance.owner === wallet ? sum + balance.amount : sum), 0n);
  return held(tokensAfter) - held(tokensBefore);
}

/** Lamports in accounts that the transaction opened, less those of the wallet's token accounts that it closed; wrapped SOL left out. */
function deposits(tx: SolanaTransaction, wallet: string, intoPools: ReadonlyMap<string, bigint>): bigint {
  const wrapped = (list: readonly TokenBalance[], account: number): bigint =>
    list.find((balance) => balance.account === account && isWrapped(balance))?.amount ?? 0n;
  let sum = 0n;
  for (let key = 1; key < tx.keys.length; key++) {
    if (!isRecorded(tx, key)) continue;
    const [before, after] = [tx.lamportsBefore[key]!, tx.lamportsAfter[key]!];
    if (before === 0 && after > 0) {
      sum += BigInt(after) - wrapped(tx.tokensAfter, key) - (intoPools.get(tx.keys[key]!) ?? 0n);
    }
    const isOwn =
      before > 0 && after === 0 && tx.tokensBefore.some((one) => one.account === key && one.owner === wallet);
    if (isOwn) sum -= BigInt(before) - wrapped(tx.tokensBefore, key);
  }
  return sum;
}
