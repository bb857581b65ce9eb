import { SolanaInstruction } from '#libs/chain/chains/solana/instruction.js';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { SolanaTransaction, type TokenBalance } from '#libs/chain/chains/solana/transaction.js';
import { undecodedSwaps } from './undecoded.js';

/** Positions of keys: two token accounts of the trader, two of the pool, the pool, a wallet that takes fees. */
const [TRADER, OWN_A, OWN_B, POOL_A, POOL_B, POOL, FEES, VENUE, TOKEN, SYSTEM] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const WALLET = 'BRQgxbgDrChXW6P79mAKT8jar92QRGwG6VchZa8w1kzY';
const KEYS = ['trader', 'ownA', 'ownB', 'poolA', 'poolB', 'pool', WALLET, 'venue', TOKEN_PROGRAM, SYSTEM_PROGRAM];

interface Call {
  program: number;
  accounts: number[];
  data: number[];
  depth: number;
}

const bytesOf = (amount: number): number[] => [...new Uint8Array(new BigUint64Array([BigInt(amount)]).buffer)];
const moves = (source: number, destination: number, amount = 5, depth = 2): Call => ({
  program: TOKEN,
  accounts: [source, destination, source < 3 ? TRADER : POOL],
  data: [3, ...bytesOf(amount)],
  depth,
});
const pays = (to: number): Call => ({
  program: SYSTEM,
  accounts: [TRADER, to],
  data: [2, 0, 0, 0, ...bytesOf(9)],
  depth: 2,
});
const venue = (depth = 1): Call => ({ program: VENUE, accounts: KEYS.map((_, i) => i), data: [1], depth });

function undecoded(calls: Call[], lamports: { pool?: number; decimals?: number } = {}): string[] {
  const { pool = 0, decimals = 6 } = lamports;
  const owned: [account: number, mint: string, owner: string][] = [
    [OWN_A, 'A', 'trader'],
    [OWN_B, 'B', 'trader'],
    [POOL_A, 'A', 'pool'],
    [POOL_B, 'B', 'pool'],
  ];
  const balances = owned.map(
    ([account, mint, owner]): TokenBalance => ({ account, mint, owner, amount: 9n, decimals }),
  );
  const before = KEYS.map(() => 1_000);
  const after = before.map((value, key) => (key === POOL ? value + pool : value));
  const instructions = calls.map(
    ({ program, accounts, data, depth }, i) =>
      new SolanaInstruction(KEYS[program]!, accounts, Uint8Array.from(data), 0, i - 1, depth),
  );
  return undecodedSwaps(
    new SolanaTransaction('', 1, false, KEYS, 1, instructions, 5n, before, after, balances, balances, []),
    [],
  );
}

describe('a swap of a program that no venue reads', () => {
  it('is one token for another, whatever the depth of the transfers, named once and by the program that made it', () => {
    expect(undecoded([venue(), moves(OWN_A, POOL_A), moves(POOL_B, OWN_B)])).toEqual(['venue']);
    expect(undecoded([venue(), moves(OWN_A, POOL_A, 5, 3), moves(POOL_B, OWN_B, 5, 3)])).toEqual(['venue']);
  });

  it('is one token for lamports: the pool takes in one and has less of the other', () => {
    expect(undecoded([venue(), moves(OWN_A, POOL_A)], { pool: -9 })).toEqual(['venue']);
    expect(undecoded([venue(), pays(POOL), moves(POOL_A, OWN_A)], { pool: 9 })).toEqual(['venue']);
  });

  it('is no liquidity, no loan, no claim for a fee, no gift and no sale of a single thing', () => {
    expect(undecoded([venue(), moves(POOL_A, OWN_A), moves(POOL_B, OWN_B)])).toEqual([]);
    expect(undecoded([venue(), moves(OWN_A, POOL_A), moves(POOL_B, OWN_B, 5, 3)])).toEqual([]);
    expect(undecoded([venue(), pays(FEES), moves(POOL_A, OWN_A)])).toEqual([]);
    expect(undecoded([venue(), moves(OWN_A, POOL_A)], { pool: 9 })).toEqual([]);
    expect(undecoded([venue(), moves(OWN_A, POOL_A, 1)], { pool: -9, decimals: 0 })).toEqual([]);
  });

  it('is of no helper where the node records no depth, though other transfers follow its own', () => {
    const calls = [
      venue(),
      moves(OWN_A, POOL_A),
      moves(POOL_B, OWN_B),
      moves(OWN_A, POOL_A, 1),
      moves(POOL_B, OWN_B, 1),
    ];
    expect(undecoded(calls.map((call, i) => ({ ...call, depth: i === 0 ? 1 : 0 })))).toEqual(['venue']);
  });
});
