import { SolanaTransaction, type TokenBalance } from '#libs/chain/chains/solana/transaction.js';
import { TradingWallets } from './wallet.js';

/** A key that can sign, and one that cannot: an address of a program. */
const TRADER = 'BRQgxbgDrChXW6P79mAKT8jar92QRGwG6VchZa8w1kzY';
const VAULT = 'CebN5WGQ4jvEPvsVU4EoHEpgzq1VV7AbicfhtW4xC9iM';
const SOL = 'So11111111111111111111111111111111111111112';
const KEYS = ['relayer', 'trader', 'helper', 'pool', 'router', TRADER, VAULT];

type Holding = [owner: string, mint: string, amount: bigint];

function transaction(options: {
  before?: Holding[];
  after?: Holding[];
  lamportsBefore?: number[];
  lamportsAfter?: number[];
  signers?: number;
}): SolanaTransaction {
  const balances = (list: Holding[] = []): TokenBalance[] =>
    list.map(([owner, mint, amount], account) => ({ account: 10 + account, owner, mint, amount }));
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

type Leg = [authority: string, input: [mint: string, amount: bigint], output: [mint: string, amount: bigint]];

function walletOf(tx: SolanaTransaction, ...legs: Leg[]): string {
  const traded = legs.map(([authority, [inputMint, inputAmount], [outputMint, outputAmount]]) => ({
    authority,
    inputMint,
    inputAmount,
    outputMint,
    outputAmount,
  }));
  return new TradingWallets(tx, traded).behind(traded[0]!);
}

const moves = (...list: [owner: string, mint: string, before: bigint, after: bigint][]) => ({
  before: list.map(([owner, mint, amount]): Holding => [owner, mint, amount]),
  after: list.map(([owner, mint, , amount]): Holding => [owner, mint, amount]),
});

const A_FOR_B: [input: [string, bigint], output: [string, bigint]] = [
  ['A', 10n],
  ['B', 8n],
];

describe('the wallet behind a leg', () => {
  it('is the authority that signed and whose balances moved', () => {
    const both = moves(['helper', 'A', 10n, 0n], ['helper', 'B', 0n, 8n], ['trader', 'C', 5n, 0n]);
    expect(walletOf(transaction(both), ['helper', ...A_FOR_B])).toBe('helper');
    expect(walletOf(transaction(moves(['helper', 'B', 0n, 8n])), ['helper', ...A_FOR_B])).toBe('helper');
    expect(walletOf(transaction({}), ['helper', ...A_FOR_B])).toBe('helper');
  });

  it('is not the authority that signs and passes tokens through, also where it keeps a part', () => {
    const traded = moves(['trader', 'A', 10n, 0n], ['trader', 'B', 0n, 8n]);
    expect(walletOf(transaction(traded), ['relayer', ...A_FOR_B])).toBe('trader');
    const kept = moves(['relayer', 'B', 0n, 1n], ['trader', 'A', 10n, 0n], ['trader', 'B', 0n, 7n]);
    expect(walletOf(transaction(kept), ['relayer', ...A_FOR_B])).toBe('trader');
    const gone = moves(['relayer', 'A', 5n, 5n], ['trader', 'A', 10n, 0n]);
    expect(walletOf(transaction(gone), ['relayer', ...A_FOR_B])).toBe('trader');
  });

  it('is the signer that gave tokens away where a router held them, not the relayer that was paid in tokens', () => {
    const paid = moves(
      ['relayer', 'A', 0n, 1n],
      ['trader', 'A', 10n, 0n],
      ['trader', 'B', 0n, 8n],
      ['pool', 'A', 0n, 9n],
    );
    expect(walletOf(transaction(paid), ['router', ...A_FOR_B])).toBe('trader');
  });

  it('is the signer whose lamports paid for the trade or came from it; fees and new accounts are no payment', () => {
    const buys = { lamportsBefore: [10_000, 900_000, 7], lamportsAfter: [5000, 100_000, 7] };
    expect(walletOf(transaction(buys), ['router', [SOL, 790_000n], ['B', 8n]])).toBe('trader');
    const sells = { lamportsBefore: [10_000_000, 100_000], lamportsAfter: [7_955_000, 900_000] };
    expect(walletOf(transaction(sells), ['relayer', ['A', 10n], [SOL, 800_000n]])).toBe('trader');
  });

  it('is an owner that did not sign where who signed moved nothing of the trade', () => {
    const filled = moves([VAULT, 'A', 10n, 0n], [TRADER, 'B', 0n, 8n], ['pool', 'A', 0n, 10n], ['pool', 'B', 8n, 0n]);
    expect(walletOf(transaction({ ...filled, signers: 1 }), ['relayer', ...A_FOR_B])).toBe(TRADER);
    const ofProgram = moves([VAULT, 'A', 10n, 0n], [VAULT, 'B', 0n, 8n], [TRADER, 'B', 0n, 1n]);
    expect(walletOf(transaction({ ...ofProgram, signers: 1 }), [VAULT, ...A_FOR_B])).toBe(VAULT);
    const inLamports = {
      ...moves([VAULT, 'A', 10n, 0n]),
      lamportsBefore: [50_000, 0, 0, 0, 0, 7],
      lamportsAfter: [45_000, 0, 0, 0, 0, 800_007],
      signers: 1,
    };
    expect(walletOf(transaction(inLamports), ['relayer', ['A', 10n], [SOL, 800_000n]])).toBe(TRADER);
  });

  it('is the fee payer where nothing tells: a round trip that leaves nothing, owners that are not recorded', () => {
    const roundTrip: Leg[] = [
      ['router', ...A_FOR_B],
      ['router', ['B', 8n], ['A', 11n]],
    ];
    expect(walletOf(transaction(moves([TRADER, 'A', 0n, 1n], ['pool', 'A', 1n, 0n])), ...roundTrip)).toBe('relayer');
    const unrecorded = moves(['', 'A', 10n, 0n], ['', 'B', 0n, 8n]);
    expect(walletOf(transaction({ ...unrecorded, signers: 1 }), ['router', ...A_FOR_B])).toBe('relayer');
  });

  it('counts what an owner has over all its accounts: moving tokens between them is no payment', () => {
    const own = moves(['relayer', 'A', 5n, 0n], ['relayer', 'A', 0n, 5n], ['trader', 'B', 3n, 2n]);
    expect(walletOf(transaction(own), ['router', ['B', 1n], ['C', 1n]])).toBe('trader');
  });
});
