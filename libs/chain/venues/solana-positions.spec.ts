import { SolanaInstruction } from '#libs/chain/chains/solana/instruction.js';
import { TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { instructionTags } from '#libs/chain/market-ports/solana/positions.js';
import { emitting, u64 } from '#libs/chain/market-ports/solana/test/decoded.js';
import type { SolanaVenue } from '#libs/chain/market-ports/solana/venue.js';
import { encodeBase58 } from '#libs/core/base58.js';
import { meteoraDlmm } from './meteora-dlmm/decode.js';
import { orcaWhirlpool } from './orca-whirlpool/decode.js';
import { raydiumClmm } from './raydium-clmm/decode.js';

/** Liquidity that moves without a swap, as instructions and events of the three programs with ranges tell of it. */
const keyBytes = (n: number): Buffer => Buffer.alloc(32, n);
const key = (n: number): string => encodeBase58(keyBytes(n));
const accounts = Array.from({ length: 20 }, (_, n) => key(n + 1));
const i32 = (value: number): Buffer => {
  const data = Buffer.alloc(4);
  data.writeInt32LE(value);
  return data;
};
const u128 = (value: bigint): Buffer => Buffer.concat([u64(value & ((1n << 64n) - 1n)), u64(value >> 64n)]);
const event = (tag: string, ...fields: Buffer[]): Buffer => Buffer.concat([Buffer.from(tag, 'hex'), ...fields]);
const tagOf = (name: string): string => instructionTags(name)[0]!;

/** A transaction of one instruction that logs these events and makes transfers of its vaults. */
function logging(
  venue: SolanaVenue,
  name: string,
  events: readonly Buffer[],
  transfers: readonly [from: string, to: string, amount: bigint][] = [],
): SolanaTransaction {
  const keys = ['trader', venue.program, ...accounts];
  const outer = new SolanaInstruction(
    ...([venue.program, accounts.map((account) => keys.indexOf(account))] as const),
    ...([Buffer.from(tagOf(name), 'hex'), 0, -1, 1] as const),
  );
  const calls = transfers.map(
    ([from, to, amount], nth) =>
      new SolanaInstruction(
        ...([TOKEN_PROGRAM, [keys.indexOf(from), keys.indexOf(to), 0]] as const),
        ...([Buffer.concat([Buffer.of(3), u64(amount)]), 0, nth, 2] as const),
      ),
  );
  const logs = [
    `Program ${venue.program} invoke [1]`,
    ...events.map((data) => `Program data: ${data.toString('base64')}`),
    `Program ${venue.program} success`,
  ];
  return new SolanaTransaction('', 1, false, keys, 1, [outer, ...calls], 0n, [], [], [], [], logs);
}

const changes = (venue: SolanaVenue, tx: SolanaTransaction) => venue.positions!(tx, 0);

describe('Raydium CLMM', () => {
  const range = event('7ef0afce9e58996b', keyBytes(3), i32(5), i32(-120), i32(240), u128(1n), u128(8n));

  it('tells of the range and the liquidity of a change', () => {
    const increased = event('314f69d420221e54', keyBytes(9), u128(7n << 70n), u64(11n), u64(12n), u64(0n), u64(0n));
    const told = { pool: key(3), tickLower: -120, tickUpper: 240, vaultA: '' };
    expect(changes(raydiumClmm, logging(raydiumClmm, 'increase_liquidity_v2', [increased, range]))).toEqual([
      { ...told, owner: key(1), liquidityDelta: 7n << 70n, amountA: 11n, amountB: 12n },
    ]);
    const decreased = event('3ade563a44325538', keyBytes(9), u128(6n), u64(1n), u64(2n), u64(3n), u64(4n));
    expect(changes(raydiumClmm, logging(raydiumClmm, 'decrease_liquidity', [range, decreased]))).toMatchObject([
      { pool: key(4), tickLower: -120, tickUpper: 240, liquidityDelta: -6n, amountA: -1n, amountB: -2n },
    ]);
    const opened = event(
      ...(['641e57f9c4df9ace', keyBytes(6), keyBytes(1), keyBytes(2), i32(-60), i32(60)] as const),
      ...[u128(5n), u64(3n), u64(4n), u64(0n), u64(0n)],
    );
    expect(changes(raydiumClmm, logging(raydiumClmm, 'open_position', [range, opened]))).toMatchObject([
      { pool: key(6), owner: key(2), tickLower: -60, tickUpper: 60, liquidityDelta: 5n, amountA: 3n, amountB: 4n },
    ]);
  });

  it('tells of nothing where only fees were taken', () => {
    const none = event('3ade563a44325538', keyBytes(9), u128(0n), u64(0n), u64(0n), u64(3n), u64(4n));
    expect(changes(raydiumClmm, logging(raydiumClmm, 'decrease_liquidity_v2', [none]))).toEqual([]);
  });

  it('tells of the amounts alone where the log was cut', () => {
    const [vaultA, vaultB] = [key(6), key(7)];
    const transfers = [
      [vaultA, key(10), 70n],
      [vaultB, key(11), 80n],
    ] as const;
    const tx = logging(
      raydiumClmm,
      'decrease_liquidity_v2',
      [],
      transfers.map(([...each]) => each),
    );
    expect(changes(raydiumClmm, tx)).toMatchObject([
      { pool: key(4), tickLower: 0, tickUpper: 0, liquidityDelta: 0n, amountA: -70n, amountB: -80n },
    ]);
  });
});

describe('Orca Whirlpool', () => {
  const fields = [
    keyBytes(1),
    keyBytes(6),
    i32(-640),
    i32(1_280),
    u128(9n << 65n),
    u64(21n),
    u64(22n),
    u64(0n),
    u64(0n),
  ];

  it('tells of increases and decreases', () => {
    const told = { pool: key(1), tickLower: -640, tickUpper: 1_280 };
    for (const [name, tag, sign] of [
      ['increase_liquidity_v2', '1e0790b566fe9ba1', 1n],
      ['decrease_liquidity', 'a601244770cab5ab', -1n],
    ] as const) {
      expect(changes(orcaWhirlpool, logging(orcaWhirlpool, name, [event(tag, ...fields)]))).toMatchObject([
        { ...told, liquidityDelta: sign * (9n << 65n), amountA: sign * 21n, amountB: sign * 22n },
      ]);
    }
  });

  it('tells of both ranges of a position that moved, whatever the vaults moved', () => {
    const moved = event(
      ...(['5f82b584fb32c326', keyBytes(4), keyBytes(6), i32(-64), i32(64), i32(-6_400), i32(-640)] as const),
      ...[u128(10n), u128(20n), u64(5n), u64(6n), u64(0n), u64(11n), ...Array.from({ length: 4 }, () => u64(0n))],
    );
    const tx = logging(orcaWhirlpool, 'reposition_liquidity_v2', [moved]);
    expect(changes(orcaWhirlpool, tx)).toMatchObject([
      { pool: key(4), tickLower: -64, tickUpper: 64, liquidityDelta: -10n, amountA: -5n, amountB: -6n },
      { pool: key(4), tickLower: -6_400, tickUpper: -640, liquidityDelta: 20n, amountA: 0n, amountB: 11n },
    ]);
  });
});

describe('Meteora DLMM', () => {
  const amounts = (x: bigint, y: bigint) => [keyBytes(2), keyBytes(10), keyBytes(1), u64(x), u64(y), i32(0)];
  const call = (name: string, ...events: Buffer[]) =>
    changes(meteoraDlmm, emitting(meteoraDlmm, { data: tagOf(name), accounts }, events));

  it('tells of amounts, and which vault is of which', () => {
    expect(call('remove_liquidity2', event('74f461e8671f983a', ...amounts(5n, 6n)))).toEqual([
      {
        ...{ pool: key(2), owner: key(10), vaultA: key(6), tickLower: 0, tickUpper: 0, liquidityDelta: 0n },
        ...{ amountA: -5n, amountB: -6n },
      },
    ]);
    expect(call('remove_all_liquidity', event('74f461e8671f983a', ...amounts(0n, 0n)))).toEqual([]);
  });

  it('tells of all that a position took out when it moved', () => {
    const moved = event(
      ...(['006d75b33d5bc7c8', keyBytes(2), keyBytes(4), keyBytes(10), i32(3)] as const),
      ...[u64(100n), u64(0n), u64(200n), u64(299n)],
    );
    expect(call('rebalance_liquidity', moved)).toMatchObject([
      { pool: key(2), amountA: -100n, amountB: -200n },
      { pool: key(2), amountA: 0n, amountB: 299n },
    ]);
  });
});

describe.each([raydiumClmm, orcaWhirlpool, meteoraDlmm].map((venue) => [venue.venue, venue] as const))(
  '%s',
  (_, venue) => {
    it('may have moved anything in an instruction that is not known, and nothing in one that is no move', () => {
      const found = changes(venue, logging(venue, 'some_later_instruction', []));
      expect(found).toHaveLength(accounts.length);
      expect(found.find(({ pool }) => pool === key(3))).toMatchObject({ liquidityDelta: 0n, amountA: 0n, amountB: 0n });
      expect(changes(venue, logging(venue, 'swap', []))).toEqual([]);
    });
  },
);
