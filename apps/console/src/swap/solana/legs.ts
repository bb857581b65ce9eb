import type { SolRouteStep } from '#libs/serve/contract/rest/solana/quote-body.js';

/** The steps of a route by leg: a leg begins where a step takes another token than the one before it gave, or at its first. */
export function legsOf(plan: readonly SolRouteStep[]): SolRouteStep[][] {
  const legs: SolRouteStep[][] = [];
  const first = plan[0]?.swapInfo.inputMint;
  for (const step of plan) {
    if (step.swapInfo.inputMint === first) legs.push([]);
    legs.at(-1)!.push(step);
  }
  return legs;
}

/** The fee that a pool took, in hundredths of a basis point of the amount it was taken from; rounded to the nearest. */
export function feeInHundredths({ swapInfo }: SolRouteStep): bigint {
  const { feeAmount, feeMint, inputMint, inAmount, outAmount } = swapInfo;
  // A fee on the output is a part of what came out before it.
  const base = feeMint === inputMint ? BigInt(inAmount) : BigInt(outAmount) + BigInt(feeAmount);
  return base === 0n ? 0n : (2n * BigInt(feeAmount) * 1_000_000n + base) / (2n * base);
}
