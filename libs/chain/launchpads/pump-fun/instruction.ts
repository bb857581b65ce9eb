import { type KnownAccounts, readOwned } from '#libs/chain/chains/solana/accounts.js';
import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';
import { associatedAddress, DerivedAddresses } from '#libs/chain/chains/solana/derived-addresses.js';
import { SYSTEM_PROGRAM, WRAPPED_SOL } from '#libs/chain/chains/solana/programs.js';
import { type PoolAccounts, poolSwaps } from '#libs/chain/market-ports/solana/account-pools.js';
import { buybackAccount } from '#libs/chain/market-ports/solana/pump-buyback.js';
import {
  eventAuthority,
  inOrder,
  pays,
  reads,
  swapData,
  tokenProgramsOf,
  writes,
} from '#libs/chain/market-ports/solana/swap-call.js';
import { type PumpCurveAccount, readBuybackRecipients } from './account.js';
import { launchedTokenOf, PUMP_FEES, PUMP_GLOBAL, pumpFunCurves, quoteOf } from './quote.js';

const { program, poolAt } = pumpFunCurves;
const EVENT_AUTHORITY = eventAuthority(program);
const SELL = bytesOfHex('1c92de7726c469d5');
const BUY_EXACT_IN = bytesOfHex('e1f7501ed5b38488');
const BUY_EXACT_OUT = bytesOfHex('07051dc4f5176550');
/** A buy of more than is left is not to be filled in part. */
const WHOLE = Uint8Array.of(0);
/** As the program makes them today. */
const [ACCUMULATOR_BYTES, CURVE_BYTES] = [137, 166];
const accumulators = new DerivedAddresses(program, 'user_volume_accumulator');

/** Curves that give fees back are none. */
const traded: PoolAccounts<PumpCurveAccount> = {
  program,
  poolAt(address, known) {
    const curve = poolAt(address, known);
    return curve?.cashback ? null : curve;
  },
};

/**
 * buy_exact_quote_in_v3, buy_v3 and sell_v3, which share one list of accounts. On a curve in SOL they move lamports of the trader
 * and look at no token account of the quote. Curves that give the creator's fee back take none of the three.
 */
export const pumpFunSwaps = poolSwaps(traded, {
  needs(curve, { address, known, mints }) {
    const token = launchedTokenOf(address, mints);
    return token === null ? [] : [token, quoteOf(curve), ...buybackOf(curve, address, known).needed];
  },
  write(curve, order, { address, known, mints }) {
    const token = launchedTokenOf(address, mints);
    if (token === null || (order.aToB && order.exact === 'out')) return null;
    const quoteMint = quoteOf(curve);
    const programs = tokenProgramsOf(known, token, quoteMint);
    const { chosen } = buybackOf(curve, address, known);
    if (programs === null || chosen === null) return null;
    const [base, quote] = programs;
    const [ownBase, ownQuote] = inOrder(order.aToB, order.inputAccount, order.outputAccount);
    const tag = order.aToB ? SELL : order.exact === 'in' ? BUY_EXACT_IN : BUY_EXACT_OUT;
    return {
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
    const curve = traded.poolAt(pool, known);
    return curve !== null && quoteOf(curve) === WRAPPED_SOL;
  },
  deposits: (pool, trader) => [
    { address: accumulators.of(trader), bytes: ACCUMULATOR_BYTES },
    { address: pool, bytes: CURVE_BYTES, grows: true },
  ],
});

function buybackOf(curve: PumpCurveAccount, address: string, known: KnownAccounts) {
  const recipients = readOwned(known, PUMP_GLOBAL, program, readBuybackRecipients) ?? [];
  const quoteMint = quoteOf(curve);
  return buybackAccount(address, known, quoteMint, recipients, quoteMint === WRAPPED_SOL);
}
