import type { QuoteReceipt } from '#libs/protocol/receipts.js';
import type { SeededRandom } from '#libs/testing/seeded-random.js';

/** A receipt in any state, of one of two wallets; nothing about it fits any chain. */
export function randomReceipt(random: SeededRandom, given: Partial<QuoteReceipt> = {}): QuoteReceipt {
  const uuid = () => random.hex(16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const address = () => random.hex(20);
  const amount = () => BigInt(`0x${random.hex(random.int(4, 16))}`) + 1_000n;
  const block = (number: number) => ({ number, hash: random.hex(32) });
  const state = random.pick(['built', 'executed', 'expired'] as const);
  const height = random.int(1_000, 2_000);
  const quotedOut = amount();
  const seq = random.int(0, 500);
  const wallet = 'a'.repeat(39) + random.int(1, 2);
  return {
    ...{ id: uuid(), quoteId: uuid(), account: 'demo', chain: 'eth', wallet, recipient: address() },
    ...{ inputMint: address(), outputMint: address(), inAmount: amount(), quotedOut },
    ...{ simulatedOut: quotedOut - 1n, floor: quotedOut / 2n, slippageBps: 50 },
    ...{ venueId: 'eth-uniswap-v3', dex: 'Uniswap V3', hops: Array.from({ length: random.int(1, 3) }, address) },
    ...{ quoteBlock: block(height), buildBlock: block(height + 1) },
    ...{ builtAt: 1_700_000_000_000, deadline: 1_700_000_300_000 },
    ...{ builtAfter: { epoch: 1, seq }, asOf: { epoch: 1, seq: seq + 10 }, state },
    decidedAt: state === 'built' ? null : { epoch: 1, seq: seq + 5, height: height + 4 },
    final: state !== 'built' && random.chance(0.5),
    executed:
      state === 'executed'
        ? {
            ...{ tx: random.hex(32), block: height + 4, blockHash: random.hex(32), time: 1_700_000_060_000 },
            outAmount: (quotedOut * BigInt(random.int(9_700, 10_300))) / 10_000n,
          }
        : null,
    ...given,
  };
}
