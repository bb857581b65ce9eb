import type { KeyRecord } from '#libs/protocol/accounts/account-record.js';
import { Directory } from './directory.js';
import { hashKey, keyIdOf, newApiKey, sameHash } from './key-text.js';
import { AccountWorld } from './test/account-world.js';

const DIGITS = 64;

describe('the look-up of a key', () => {
  it('never compares a key: what is looked up is the SHA-256 of whatever came', () => {
    const world = new AccountWorld({ ms: 0 }, { rate: 0, credits: null });
    const looked: string[] = [];
    const { directory } = world;
    const callerOf = directory.callerOf.bind(directory);
    directory.callerOf = (hash, now) => {
      looked.push(hash);
      return callerOf(hash, now);
    };
    const given = [
      world.key,
      '',
      'x',
      'é',
      `${world.key} `,
      world.key.slice(0, -1),
      'k'.repeat(100_000),
      hashKey(world.key),
    ];
    expect(given.map((key) => world.admission.authenticate(key) !== null)).toEqual(
      given.map((key) => key === world.key),
    );
    expect(looked).toHaveLength(given.length);
    for (const hash of looked) expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(looked).size).toBe(given.length);
  });

  it('compares whole hashes of one length, wherever they differ', () => {
    const hash = hashKey(newApiKey());
    expect(sameHash(hash, String(hash))).toBe(true);
    for (let at = 0; at < DIGITS; at++) {
      const other = `${hash.slice(0, at)}${hash[at] === '0' ? '1' : '0'}${hash.slice(at + 1)}`;
      expect([at, sameHash(hash, other)]).toEqual([at, false]);
    }
    for (const other of ['', hash.slice(1), `${hash}0`]) expect(sameHash(hash, other)).toBe(false);
  });

  it('tells keys apart whose hashes begin alike', () => {
    const directory = new Directory();
    const id = keyIdOf(hashKey(newApiKey()));
    const made = { name: '', createdAt: 0 } as const;
    const hashes = ['a', 'b', 'c'].map((digit) => id + digit.repeat(DIGITS - id.length));
    const put = (n: number, change: Partial<KeyRecord> = {}) =>
      directory.put({
        ...{ kind: 'key', hash: hashes[n]!, account: `account${n}`, scopes: ['data'], origins: [], ...made },
        ...{ expiresAt: null, revokedAt: null, ...change },
      });
    const found = (): (string | null)[] => hashes.map((hash) => directory.callerOf(hash, 1)?.account.id ?? null);
    for (const n of [0, 1, 2]) {
      directory.put({ kind: 'account', id: `account${n}`, plan: null, rate: null, closed: false, ...made });
    }
    put(0);
    put(1);
    expect(found()).toEqual(['account0', 'account1', null]);
    put(2);
    put(0, { revokedAt: 1 });
    expect(found()).toEqual([null, 'account1', 'account2']);
    put(0);
    expect(found()).toEqual(['account0', 'account1', 'account2']);
    expect(directory.keys()).toHaveLength(3);
    expect(directory.callerOf(id + 'd'.repeat(DIGITS - id.length), 1)).toBeNull();
  });
});
