import { SYSTEM_PROGRAM, WRAPPED_SOL } from '#libs/chain/chains/solana/programs.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { emittedEvents } from '#libs/chain/market-ports/solana/event-layout.js';
import { curveAfter } from '#libs/chain/market-ports/solana/stated.js';
import {
  NO_LEGS,
  type SolanaLaunchpad,
  type SolanaLeg,
  type StatedPool,
} from '#libs/chain/market-ports/solana/venue.js';
import { curveOf } from './curve-address.js';
import { PUMP_TRADE } from './events.js';
import { pumpLaunches } from './launches.js';

export { PUMP_TRADE } from './events.js';

const EVENTS = [PUMP_TRADE];

/**
 * pump.fun's bonding curves. Every trade emits an event with the amounts that the curve took in and paid out, and the
 * fees separately; a curve whose quote is no SOL says so at the event's end. The pool of a trade is the curve's
 * account. A route over several curves emits an event for each of them.
 */
export const pumpFun: SolanaLaunchpad = {
  venue: 'pump-fun',
  dex: 'Pump.fun',
  kind: 'curve',
  launchpad: 'pumpfun',
  program: '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P',
  legs: (tx, index) => emittedEvents(tx, index, EVENTS).flatMap(({ data }) => toLeg(tx, index, data)),
  launches: pumpLaunches,
};

function toLeg(tx: SolanaTransaction, index: number, data: Uint8Array): readonly SolanaLeg[] {
  const mint = PUMP_TRADE.field(data, 'mint');
  const tokens = PUMP_TRADE.u64(data, 'token_amount');
  const lamports = PUMP_TRADE.u64(data, 'sol_amount');
  const user = PUMP_TRADE.field(data, 'user');
  if (mint === undefined || tokens === undefined || lamports === undefined || user === undefined) return NO_LEGS;
  const quote = PUMP_TRADE.field(data, 'quote_mint');
  const inSol = quote === undefined || quote === SYSTEM_PROGRAM || quote === WRAPPED_SOL;
  const quoteMint = inSol ? WRAPPED_SOL : (quote as string);
  const quoteAmount = inSol ? lamports : (PUMP_TRADE.u64(data, 'quote_amount') ?? lamports);
  const buy = PUMP_TRADE.field(data, 'is_buy') === true;
  return [
    {
      pool: curveOf(tx, tx.instructions[index]!, mint as string),
      authority: user as string,
      inputMint: buy ? quoteMint : (mint as string),
      inputAmount: buy ? quoteAmount : tokens,
      outputMint: buy ? (mint as string) : quoteMint,
      outputAmount: buy ? tokens : quoteAmount,
      ...statedBy(data, buy, inSol ? RESERVES_IN_SOL : RESERVES_IN_QUOTE),
    },
  ];
}

interface ReserveFields {
  virtual: string;
  real: string;
}

const RESERVES_IN_SOL: ReserveFields = { virtual: 'virtual_sol_reserves', real: 'real_sol_reserves' };
const RESERVES_IN_QUOTE: ReserveFields = { virtual: 'virtual_quote_reserves', real: 'real_quote_reserves' };

/** Price and reserves of the curve after the trade; a curve that is sold out still has its last price. */
function statedBy(data: Uint8Array, buy: boolean, fields: ReserveFields): { stated?: StatedPool } {
  const virtualTokens = PUMP_TRADE.u64(data, 'virtual_token_reserves');
  const virtualQuote = PUMP_TRADE.u64(data, fields.virtual);
  const tokens = PUMP_TRADE.u64(data, 'real_token_reserves');
  const raised = PUMP_TRADE.u64(data, fields.real);
  if (!virtualTokens || !virtualQuote || tokens === undefined || raised === undefined) return {};
  const spot = { numerator: virtualQuote, denominator: virtualTokens };
  return { stated: curveAfter(buy, spot, tokens, raised) };
}
