import type { Hex } from '#libs/core/ids.js';
import type { SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { QuoteReceipt, ReceiptBlock, ReceiptLeg, ReceiptState } from '#libs/protocol/receipts.js';

/** What a family's receipts have of their own; nothing about them fits any chain. */
interface Family {
  readonly chain: string;
  readonly addressBytes: number;
  readonly txBytes: number;
  readonly dex: string;
}

const evm: Family = { chain: 'eth', addressBytes: 20, txBytes: 32, dex: 'Uniswap V3' };
const solana: Family = { chain: 'sol', addressBytes: 32, txBytes: 64, dex: 'Raydium CPMM' };

/** A receipt of an EVM chain in any state, of one of two wallets. */
export function randomReceipt(random: SeededRandom, given: Partial<QuoteReceipt> = {}): QuoteReceipt {
  const legs = (inAmount: bigint): ReceiptLeg[] => [
    { shareBps: 10_000, amount: inAmount, leastIn: inAmount, hops: hopsOf(random, evm) },
  ];
  const block = (number: number): ReceiptBlock => ({ number, hash: random.hex(32) });
  const receipt = drawn(random, evm, given.state, legs, block);
  return { ...receipt, ...{ exact: 'in', feeBps: 0, lastHeight: 0, simulatedIn: receipt.inAmount }, ...given };
}

/** A receipt of Solana in any state: split or not, either side exact, with or without a fee. */
export function randomSolanaReceipt(random: SeededRandom, given: Partial<QuoteReceipt> = {}): QuoteReceipt {
  const shares = random.pick([[10_000], [6_500, 3_500], [5_000, 3_000, 2_000]]);
  const legs = (inAmount: bigint): ReceiptLeg[] =>
    shares.map((shareBps) => {
      const amount = (inAmount * BigInt(shareBps)) / 10_000n;
      return { shareBps, amount, leastIn: random.pick([amount, amount - amount / 10n]), hops: hopsOf(random, solana) };
    });
  const receipt = drawn(random, solana, given.state, legs, (number) => ({ number, hash: null }));
  const { inAmount, buildBlock } = receipt;
  const exact = random.pick(['in', 'out'] as const);
  return {
    ...receipt,
    ...{ exact, feeBps: random.pick([0, 85]), simulatedIn: inAmount + 1n, lastHeight: buildBlock.number + 300 },
    ...(exact === 'out' ? { threshold: inAmount * 2n } : {}),
    ...given,
  };
}

const hopsOf = (random: SeededRandom, { addressBytes, dex }: Family) =>
  Array.from({ length: random.int(1, 3) }, () => ({ pool: random.hex(addressBytes), dex }));

function drawn(
  random: SeededRandom,
  { chain, addressBytes, txBytes, dex }: Family,
  given: ReceiptState | undefined,
  legsOf: (inAmount: bigint) => ReceiptLeg[],
  block: (number: number) => ReceiptBlock,
) {
  const uuid = () => random.hex(16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const address = (): Hex => random.hex(addressBytes);
  const amount = () => BigInt(`0x${random.hex(random.int(4, 16))}`) + 1_000n;
  const state = given ?? random.pick(['built', 'executed', 'expired'] as const);
  const height = random.int(1_000, 2_000);
  const [inAmount, quotedOut] = [amount(), amount()];
  const seq = random.int(0, 500);
  const wallet = 'a'.repeat(2 * addressBytes - 1) + random.int(1, 2);
  const moved = (promised: bigint) => (promised * BigInt(random.int(9_700, 10_300))) / 10_000n;
  return {
    ...{ id: uuid(), quoteId: uuid(), account: 'demo', chain, wallet, recipient: address() },
    ...{ inputMint: address(), outputMint: address(), inAmount, quotedOut },
    ...{ simulatedOut: quotedOut - 1n, threshold: quotedOut / 2n, slippageBps: 50 },
    ...{ venueId: `${chain}-${dex.toLowerCase().replace(' ', '-')}`, dex, legs: legsOf(inAmount) },
    ...{ quoteBlock: block(height), buildBlock: block(height + 1) },
    ...{ builtAt: 1_700_000_000_000, deadline: 1_700_000_300_000 },
    ...{ builtAfter: { epoch: 1, seq }, asOf: { epoch: 1, seq: seq + 10 }, state },
    decidedAt: state === 'built' ? null : { epoch: 1, seq: seq + 5, height: height + 4 },
    final: state !== 'built' && random.chance(0.5),
    executed:
      state === 'executed'
        ? {
            ...{ tx: random.hex(txBytes), block: height + 4, blockHash: random.hex(32), time: 1_700_000_060_000 },
            ...{ inAmount: chain === 'sol' ? moved(inAmount) : inAmount, outAmount: moved(quotedOut) },
          }
        : null,
  };
}
