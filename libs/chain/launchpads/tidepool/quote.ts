import { afterFee, beforeFeeBps, isAmount, productIn, productOut } from '#libs/chain/amm/basis-point-product.js';
import type { CurveSwap } from '#libs/chain/amm/curve-swap.js';
import { accountPools } from '#libs/chain/market-ports/solana/account-pools.js';
import type { SolanaPoolState, SolanaPoolVenue } from '#libs/chain/market-ports/solana/pool-quotes.js';
import { readTidepoolCurve, type TidepoolCurve } from './account.js';

/**
 * Curves of the program at that address: a constant product of virtual reserves, the fee taken in the quote token. A is
 * the token that is sold, B the quote. The curve's own account says all of it.
 */
export const tidepoolCurves = (program: string): SolanaPoolVenue =>
  accountPools({
    venue: 'tidepool',
    program,
    account: readTidepoolCurve,
    identity: ({ mint, quoteMint, baseVault, quoteVault, feeBps }) => ({
      ...{ mintA: mint, mintB: quoteMint, vaultA: baseVault, vaultB: quoteVault, feePpm: Number(feeBps) * 100 },
    }),
    read: (curve) => (curve.trading ? stateOf(curve) : null),
  });

function stateOf(curve: TidepoolCurve): SolanaPoolState {
  return {
    reserveA: curve.remaining,
    reserveB: curve.realQuote,
    spot: { numerator: curve.virtualQuote, denominator: curve.virtualBase },
    exactIn: (aToB, amountIn) => (isAmount(amountIn) ? (aToB ? sell : buy)(curve, amountIn) : null),
    exactOut: (aToB, amountOut) => (isAmount(amountOut) ? (aToB ? sellFor : buyExactly)(curve, amountOut) : null),
  };
}

/** A buy beyond what is left would be taken in part alone, unless that part costs as much. */
function buy(curve: TidepoolCurve, amountIn: bigint): CurveSwap | null {
  const { virtualQuote, virtualBase, remaining, feeBps } = curve;
  const net = afterFee(amountIn, feeBps);
  const amountOut = productOut(virtualQuote, virtualBase, net);
  if (amountOut === null || amountOut === 0n) return null;
  if (amountOut <= remaining) return { amountIn, amountOut, fee: amountIn - net, feeSide: 'input' };
  const rest = buyExactly(curve, remaining);
  return rest?.amountIn === amountIn ? rest : null;
}

function buyExactly({ virtualQuote, virtualBase, remaining, feeBps }: TidepoolCurve, out: bigint): CurveSwap | null {
  if (out > remaining) return null;
  const net = productIn(virtualQuote, virtualBase, out);
  const amountIn = net === null ? null : beforeFeeBps(net, feeBps);
  if (amountIn === null) return null;
  return { amountIn, amountOut: out, fee: amountIn - afterFee(amountIn, feeBps), feeSide: 'input' };
}

const sold = ({ forSale, remaining }: TidepoolCurve): bigint => forSale - remaining;

function sell(curve: TidepoolCurve, amountIn: bigint): CurveSwap | null {
  const gross = productOut(curve.virtualBase, curve.virtualQuote, amountIn);
  if (gross === null || gross > curve.realQuote || amountIn > sold(curve)) return null;
  const amountOut = afterFee(gross, curve.feeBps);
  return amountOut === 0n ? null : { amountIn, amountOut, fee: gross - amountOut, feeSide: 'output' };
}

function sellFor(curve: TidepoolCurve, out: bigint): CurveSwap | null {
  const gross = beforeFeeBps(out, curve.feeBps);
  if (gross === null || gross > curve.realQuote) return null;
  const amountIn = productIn(curve.virtualBase, curve.virtualQuote, gross);
  if (amountIn === null || amountIn > sold(curve)) return null;
  return { amountIn, amountOut: out, fee: gross - out, feeSide: 'output' };
}
