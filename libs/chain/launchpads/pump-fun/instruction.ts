import { readOwned } from '#libs/chain/chains/solana/accounts.js';
import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';
import { deriveAddress } from '#libs/chain/chains/solana/derive.js';
import { associatedAddress, DerivedAddresses } from '#libs/chain/chains/solana/derived-addresses.js';
import { SYSTEM_PROGRAM, WRAPPED_SOL } from '#libs/chain/chains/solana/programs.js';
import { tokenProgramOf } from '#libs/chain/chains/solana/token-account.js';
import {
  EVENT_AUTHORITY_SEED,
  inOrder,
  pays,
  reads,
  swapData,
  writes,
} from '#libs/chain/market-ports/solana/swap-call.js';
import type { SolanaSwapInstructions } from '#libs/chain/market-ports/solana/swap-instructions.js';
import { decodeBase58 } from '#libs/core/base58.js';
import { type PumpCurveAccount, readBuybackRecipients } from './account.js';
import { curveAt, launchedTokenOf, PUMP_FEES, PUMP_GLOBAL, pumpFunCurves, quoteOf } from './quote.js';

type Known = Parameters<SolanaSwapInstructions['needs']>[1];

const { program } = pumpFunCurves;
const EVENT_AUTHORITY = deriveAddress(program, [EVENT_AUTHORITY_SEED]);
const SELL = bytesOfHex('1c92de7726c469d5');
const BUY_EXACT_IN = bytesOfHex('e1f7501ed5b38488');
const BUY_EXACT_OUT = bytesOfHex('07051dc4f5176550');
/** A buy of more than is left is not to be filled in part. */
const WHOLE = Uint8Array.of(0);
/** As the program makes them today. */
const [ACCUMULATOR_BYTES, CURVE_BYTES] = [137, 166];
/** Least lamports that an account without data holds: one that has fewer may not be paid a few. */
const LEAST_LAMPORTS = 890_880n;
const accumulators = new DerivedAddresses(program, 'user_volume_accumulator');

/**
 * buy_exact_quote_in_v3, buy_v3 and sell_v3, which share one list of accounts. On a curve in SOL they move lamports of the trader
 * and look at no token account of the quote. Curves that give the creator's fee back take none of the three.
 */
export const pumpFunSwaps: SolanaSwapInstructions = {
  needs(address, known, mints = []) {
    const curve = tradedCurve(address, known);
    const token = launchedTokenOf(address, mints);
    if (curve === null || token === null) return [];
    return [token, quoteOf(curve), ...candidates(curve, address, known).needed];
  },
  write(order, known, mints = []) {
    const curve = tradedCurve(order.pool, known);
    const token = launchedTokenOf(order.pool, mints);
    if (curve === null || token === null || (order.aToB && order.exact === 'out')) return null;
    const quoteMint = quoteOf(curve);
    const [base, quote] = [token, quoteMint].map((mint) => tokenProgramOf(known, mint));
    const { chosen } = candidates(curve, order.pool, known);
    if (!base || !quote || chosen === null) return null;
    const [ownBase, ownQuote] = inOrder(order.aToB, order.inputAccount, order.outputAccount);
    const tag = order.aToB ? SELL : order.exact === 'in' ? BUY_EXACT_IN : BUY_EXACT_OUT;
    return {
      program,
      accounts: [
        ...[PUMP_GLOBAL, token, quoteMint, base, quote].map(reads),
        writes(order.pool),
        ...[associatedAddress(order.pool, token, base), associatedAddress(order.pool, quoteMint, quote)].map(writes),
        ...[pays(order.trader), writes(ownBase), writes(ownQuote), writes(accumulators.of(order.trader))],
        ...[reads(PUMP_FEES), writes(chosen), reads(SYSTEM_PROGRAM), reads(EVENT_AUTHORITY), reads(program)],
      ],
      data: swapData(tag, order.amount, order.limit, order.aToB ? undefined : WHOLE),
    };
  },
  movesCoins(pool, known) {
    const curve = tradedCurve(pool, known);
    return curve !== null && quoteOf(curve) === WRAPPED_SOL;
  },
  deposits: (pool, trader) => [
    { address: accumulators.of(trader), bytes: ACCUMULATOR_BYTES },
    { address: pool, bytes: CURVE_BYTES, grows: true },
  ],
};

/** Null also for a curve that gives fees back. */
function tradedCurve(address: string, known: Known): PumpCurveAccount | null {
  const curve = curveAt(address, known);
  return curve?.cashback ? null : curve;
}

/**
 * The account that a part of the protocol's fee goes to: of the first recipient that can be paid, counted from a place that
 * differs between curves, so that their swaps seldom wait for one another. On a curve in SOL it is the recipient's wallet.
 */
function candidates(
  curve: PumpCurveAccount,
  address: string,
  known: Known,
): { needed: string[]; chosen: string | null } {
  const quoteMint = quoteOf(curve);
  const tokens = tokenProgramOf(known, quoteMint);
  const recipients = readOwned(known, PUMP_GLOBAL, program, readBuybackRecipients) ?? [];
  const needed: string[] = [];
  if (tokens === null) return { needed, chosen: null };
  const start = decodeBase58(address)![0]!;
  for (let nth = 0; nth < recipients.length; nth++) {
    const recipient = recipients[(start + nth) % recipients.length]!;
    const account = quoteMint === WRAPPED_SOL ? recipient : associatedAddress(recipient, quoteMint, tokens);
    needed.push(account);
    const found = known.get(account);
    if (found === undefined) break;
    if (found !== null && (quoteMint === WRAPPED_SOL ? found.lamports >= LEAST_LAMPORTS : found.owner === tokens))
      return { needed, chosen: account };
  }
  return { needed, chosen: null };
}
