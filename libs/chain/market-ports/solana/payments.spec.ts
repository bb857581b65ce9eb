import { readSolanaTransaction } from '#libs/chain/chains/solana/read-transaction.js';
import { find, SOL, trades } from '#libs/devkit/testing/solana/recorded-solana.js';
import { coinPayment } from './payments.js';

/** What a recorded transaction's wallet paid and what its swaps moved of it, in lamports. */
function paymentOf(name: string): { swapped: bigint; paid: bigint; fees: bigint } {
  const { answer } = find(name);
  const swaps = trades(answer);
  const intoPools = new Map<string, bigint>();
  let swapped = 0n;
  for (const { pool, inputMint, inputAmount, outputMint, outputAmount } of swaps) {
    if (inputMint === SOL) intoPools.set(pool, (intoPools.get(pool) ?? 0n) + BigInt(inputAmount));
    if (inputMint === SOL) swapped += BigInt(inputAmount);
    if (outputMint === SOL) swapped -= BigInt(outputAmount);
  }
  return { swapped, ...coinPayment(readSolanaTransaction(answer as never), swaps[0]!.wallet, intoPools)! };
}

describe('what a wallet paid in SOL', () => {
  it('is what the swap took with protocol, creator and router fees; fees of the transaction and tips are apart', () => {
    // 2,824,350 for the protocol and 148,650 for the creator, as the event says; 2,700,000 for the router.
    expect(paymentOf('3mpAjSPh3w')).toEqual({
      swapped: 297_300_000n,
      paid: 297_300_000n + 2_824_350n + 148_650n + 2_700_000n,
      fees: 13_500_000n,
    });
    // A sale through a router: a hundredth for the protocol.
    expect(paymentOf('21TkyKuSxv')).toEqual({ swapped: -1_001_924_240n, paid: -991_904_997n, fees: 5_000n });
    expect(paymentOf('3xayR33RKn')).toEqual({ swapped: -28_799_855n, paid: -28_223_858n, fees: 115_000n });
  });

  it('is what the swap took where there are no fees, new accounts and wrapped SOL left out', () => {
    for (const name of ['2RSQnpNsW1', '2SaL9Jusoq', '46vzMM4MKY', 'T7V7uRHzRk', '5bvyp1nob5', '58F9fNP78F']) {
      const { swapped, paid } = paymentOf(name);
      expect({ name, paid }).toEqual({ name, paid: swapped });
    }
  });

  it('does not take for a deposit what was paid into a curve that was opened in the same transaction', () => {
    // 28,148,149 for the protocol, as the event says, 8,888,889 given back as cash, 30,000,000 for the program that traded.
    const { swapped, paid } = paymentOf('2RoRJxatbF');
    expect({ swapped, extra: paid - swapped }).toEqual({
      swapped: 2_962_962_962n,
      extra: 28_148_149n + 8_888_889n + 30_000_000n,
    });
  });
});
