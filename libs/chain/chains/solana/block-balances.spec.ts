import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { BalanceLedger, blockBalances } from './block-balances.js';
import { SolanaTransaction, type TokenBalance } from './transaction.js';

const KEYS = ['payer', 'a', 'b', 'c', 'd', 'e'];

interface Placed {
  index: number;
  tx: SolanaTransaction;
}

/** Accounts with tokens and lamports, and transactions that move them as a chain would. */
class Accounts {
  readonly tokens: (bigint | null)[] = KEYS.map((_, n) => (n === 0 ? null : 1_000_000n));
  readonly lamports = KEYS.map(() => 1_000_000_000);

  transaction(random: SeededRandom, index: number): Placed {
    const named = KEYS.map((_, n) => n).filter((n) => n === 0 || random.chance(0.6));
    const balances = (): TokenBalance[] =>
      named.flatMap((key, account) => {
        const amount = this.tokens[key]!;
        return amount === null ? [] : [{ account, mint: 'M', owner: 'x', amount }];
      });
    const before = { tokens: balances(), lamports: named.map((key) => this.lamports[key]!) };
    const failed = random.chance(0.1);
    this.lamports[0]! -= 5_000 + random.int(1, 100_000);
    for (const key of failed ? [] : named.slice(1)) {
      const now = this.tokens[key]!;
      if (now === null) this.tokens[key] = BigInt(random.int(1, 1_000));
      else if (random.chance(0.1)) this.tokens[key] = null;
      else if (random.chance(0.6)) this.tokens[key] = now + BigInt(random.int(1, 1_000));
      if (random.chance(0.3)) this.lamports[key]! += random.int(1, 1_000);
    }
    const lamports = named.map((key) => this.lamports[key]!);
    const keys = named.map((key) => KEYS[key]!);
    const tx = new SolanaTransaction(
      ...([`s${index}`, 1, failed, keys, 1, [], 5_000n, before.lamports, lamports] as const),
      ...([before.tokens, balances(), []] as const),
    );
    return { index, tx };
  }

  block(random: SeededRandom, most = 6): Placed[] {
    return Array.from({ length: random.int(0, most) }, (_, index) => this.transaction(random, index));
  }
}

const heldBy = (tx: SolanaTransaction, key: string, list: readonly TokenBalance[]): bigint | undefined =>
  list.find(({ account }) => tx.keys[account] === key)?.amount;

describe.each(propertySeeds(scaled(500, 40)))('balances of random chains (seed %i)', (seed) => {
  it('agree with each other and from block to block', () => {
    const random = new SeededRandom(seed);
    const accounts = new Accounts();
    const ledger = new BalanceLedger(random.int(1, 20));
    for (let slot = 1; slot < 30; slot++) {
      const balances = blockBalances(accounts.block(random));
      expect(balances.broken).toBeNull();
      expect(ledger.check(balances)).toBeNull();
      ledger.take(slot, balances);
    }
  });

  it('show a transaction that was left out as soon as what it moved is named again', () => {
    const random = new SeededRandom(seed);
    const accounts = new Accounts();
    const blocks = Array.from({ length: 12 }, () => accounts.block(random));
    const order = blocks.flat();
    const at = random.int(0, order.length - 1);
    const gone = order[at]!;
    const names = (key: string) => (placed: Placed) => placed.tx.keys.includes(key);
    const shows = KEYS.some((key) => {
      const [before, after] = [gone.tx.tokensBefore, gone.tx.tokensAfter].map((list) => heldBy(gone.tx, key, list));
      if (before === undefined || after === undefined || before === after) return false;
      return order.slice(0, at).some(names(key)) && order.slice(at + 1).some(names(key));
    });
    const ledger = new BalanceLedger();
    let found = false;
    for (const [slot, block] of blocks.entries()) {
      const balances = blockBalances(block.filter((placed) => placed !== gone));
      found ||= balances.broken !== null || ledger.check(balances) !== null;
      ledger.take(slot, balances);
    }
    if (shows) expect(found).toBe(true);
  });
});

const transaction = (index: number, lamports: [number, number], tokens: [bigint, bigint] | null = null): Placed => {
  const list = (n: 0 | 1): TokenBalance[] =>
    tokens === null ? [] : [{ account: 1, mint: 'M', owner: 'x', amount: tokens[n] }];
  const [before, after] = lamports;
  const rest = [list(0), list(1), []] as const;
  return {
    index,
    tx: new SolanaTransaction('s', 1, false, ['payer', 'a'], 1, [], 0n, [before, 1], [after, 1], ...rest),
  };
};

it('names the account, the place and both balances', () => {
  const { broken } = blockBalances([transaction(2, [100, 90], [5n, 7n]), transaction(4, [90, 80], [8n, 9n])]);
  expect(broken).toEqual({ kind: 'tokens', account: 'a', index: 4, left: 7n, found: 8n });
  const ledger = new BalanceLedger();
  ledger.take(10, blockBalances([transaction(2, [100, 90], [5n, 7n])]));
  const next = blockBalances([transaction(3, [1, 1], [6n, 6n])]);
  expect(ledger.check(next)).toEqual({ kind: 'tokens', account: 'a', index: 3, left: 7n, found: 6n, since: 10 });
  ledger.forget('a');
  expect(ledger.check(next)).toBeNull();
});

it('lets votes take their fees between transactions, and nothing else', () => {
  const gap = (gone: number) =>
    blockBalances([transaction(0, [900_000, 800_000]), transaction(9, [800_000 - gone, 1])]);
  expect(gap(5_000).broken).toBeNull();
  expect(gap(15_000).broken).toBeNull();
  for (const gone of [1, 4_999, -5_000, 700_000]) expect(gap(gone).broken?.kind).toBe('lamports');
});
