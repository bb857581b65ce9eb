import { SolanaTransaction, type TokenBalance } from '#libs/chain/chains/solana/transaction.js';
import { walletBehind } from './wallet.js';

const KEYS = ['relayer', 'trader', 'helper', 'pool', 'router'];

function transaction(options: {
  before?: [owner: string, mint: string, amount: bigint][];
  after?: [owner: string, mint: string, amount: bigint][];
  lamportsBefore?: number[];
  lamportsAfter?: number[];
  signers?: number;
}): SolanaTransaction {
  const balances = (list: [string, string, bigint][] = []): TokenBalance[] =>
    list.map(([owner, mint, amount], account) => ({ account, owner, mint, amount }));
  const { before, after, lamportsBefore = [], lamportsAfter = [], signers = 3 } = options;
  return new SolanaTransaction(
    '',
    1,
    false,
    KEYS,
    signers,
    [],
    5000n,
    lamportsBefore,
    lamportsAfter,
    balances(before),
    balances(after),
    [],
  );
}

describe('the wallet behind a leg', () => {
  it('is the authority where that signed', () => {
    expect(walletBehind(transaction({}), 'helper')).toBe('helper');
    expect(walletBehind(transaction({ after: [['trader', 'A', 1n]] }), 'helper')).toBe('helper');
  });

  it('is the signer that gave tokens away where a router held them, not the relayer that was paid in tokens', () => {
    const before: [string, string, bigint][] = [
      ['trader', 'A', 10n],
      ['pool', 'B', 10n],
    ];
    const after: [string, string, bigint][] = [
      ['relayer', 'A', 1n],
      ['trader', 'B', 8n],
      ['pool', 'A', 9n],
    ];
    expect(walletBehind(transaction({ before, after }), 'router')).toBe('trader');
  });

  it('is a signer that received tokens, then one whose lamports moved, then the fee payer', () => {
    expect(
      walletBehind(
        transaction({
          after: [
            ['pool', 'A', 1n],
            ['trader', 'B', 8n],
          ],
        }),
        'router',
      ),
    ).toBe('trader');
    const paid = { lamportsBefore: [10_000, 900, 7], lamportsAfter: [5000, 100, 7] };
    expect(walletBehind(transaction(paid), 'router')).toBe('trader');
    expect(walletBehind(transaction({ lamportsBefore: [10_000, 9], lamportsAfter: [5000, 9] }), 'router')).toBe(
      'relayer',
    );
    expect(walletBehind(transaction({ before: [['trader', 'A', 10n]], signers: 1 }), 'router')).toBe('relayer');
  });

  it('counts what an owner has over all its accounts: moving tokens between them is no payment', () => {
    const before: [string, string, bigint][] = [
      ['relayer', 'A', 5n],
      ['relayer', 'A', 0n],
      ['trader', 'B', 3n],
    ];
    const after: [string, string, bigint][] = [
      ['relayer', 'A', 0n],
      ['relayer', 'A', 5n],
      ['trader', 'B', 2n],
    ];
    expect(walletBehind(transaction({ before, after }), 'router')).toBe('trader');
  });
});
