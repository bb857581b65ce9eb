import { ConcentratedWalk } from '#libs/chain/amm/concentrated-quote.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { SwapGas, TickGas } from '#libs/chain/market-ports/evm/swap-routing.js';
import type { Route, RouteHop } from '#libs/routing/search/route.js';
import { venueOf } from '../model/evm-quote.js';

/** Which ends of a swap are the coin itself. */
export interface CoinEnds {
  readonly nativeIn: boolean;
  readonly nativeOut: boolean;
}

/**
 * Half of what it costs more to make a balance than to change it. A quote knows no wallet: with the half it is off by the
 * same for those who hold the token and for those who do not.
 */
const HALF_OF_A_FIRST_BALANCE = 8_500n;
/** 27,800 for who holds the wrapped coin and 44,900 for who does not: off by the same part of either. */
export const WRAP_GAS = 34_300n;
export const UNWRAP_GAS = 35_100n;

/**
 * Gas of the transaction that swaps over a route, as its receipt will say: the parts that the venue's contracts were measured
 * to cost, for the work that the pools' state asks for. A function of chain and route alone: no node is asked and nothing
 * is remembered, so that no caller changes what another one gets.
 */
export function routeGas(chain: ChainSpec, route: Route, { nativeIn, nativeOut }: CoinEnds): bigint {
  const { gas } = venueOf(chain, route).contracts!.swaps;
  let sum = gas.transaction + (nativeIn ? gas.nativeIn : 0n) + (nativeOut ? gas.nativeOut : HALF_OF_A_FIRST_BALANCE);
  for (const hop of route.hops) sum += hopGas(gas, hop);
  return sum;
}

const hopGas = ({ pool: own, ticks }: SwapGas, hop: RouteHop): bigint =>
  ticks === null ? own : own + tickGas(ticks, hop);

function tickGas(gas: TickGas, { pool, zeroForOne, amountIn }: RouteHop): bigint {
  const { crossed, words, moved } = new ConcentratedWalk(pool, zeroForOne).work(amountIn);
  const more = BigInt(crossed) * gas.crossed + BigInt(words - 1) * gas.word;
  return more + (moved ? gas.moved : 0n) + (crossed > 0 ? gas.firstCrossed : 0n);
}
