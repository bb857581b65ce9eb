import { encodeBase58 } from '#libs/core/base58.js';
import type { Hex } from '#libs/core/ids.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import type { SolanaAccount } from '../accounts.js';
import { SolanaInstruction } from '../instruction.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../programs.js';
import { SolanaTransaction } from '../transaction.js';
import { METAPLEX_PROGRAM, metaplexAddress, readMetaplex } from './metaplex.js';
import { readMint } from './mint.js';
import { tokenChanges } from './token-changes.js';
import { readMintFacts, tokenNeeds } from './token-facts.js';
import { readInterfaceMetadata } from './token-metadata.js';

/** Layouts of mints and metadata by hand: each part is written byte for byte. */
const id = (n: number): Hex => n.toString(16).padStart(2, '0').repeat(32);
const bytes = (hex: Hex): Buffer => Buffer.from(hex, 'hex');
const base58 = (hex: Hex): string => encodeBase58(bytes(hex));
const u16 = (value: number): Buffer => Buffer.from([value & 255, value >> 8]);
const u32 = (value: number): Buffer =>
  Buffer.from([value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24]);
const text = (value: string | Uint8Array): Buffer =>
  Buffer.concat([u32(Buffer.from(value as string).length), Buffer.from(value as string)]);
const account = (owner: string, data: Uint8Array): SolanaAccount => ({ owner, lamports: 1n, data });
const MINT = id(1);
const [ALICE, BOB] = [id(0xa1), id(0xb0)];

function mint(extensions: readonly (readonly [number, Uint8Array])[] = [], decimals = 9): Uint8Array {
  const base = Buffer.concat([
    u32(1),
    bytes(ALICE),
    Buffer.from([5, 0, 0, 0, 0, 0, 0, 1, decimals, 1]),
    u32(0),
    Buffer.alloc(32),
  ]);
  expect(base).toHaveLength(82);
  if (extensions.length === 0) return base;
  const tail = extensions.map(([type, value]) => Buffer.concat([u16(type), u16(value.length), value]));
  return Buffer.concat([base, Buffer.alloc(83), Buffer.from([1]), ...tail]);
}

const ownMetadata = (of: Hex, uri = 'u'): Buffer =>
  Buffer.concat([bytes(BOB), bytes(of), text('Name'), text('SYM'), text(uri), u32(1), text('key'), text('value')]);
const pointer = (to: Hex): Buffer => Buffer.concat([bytes(ALICE), bytes(to)]);
const metaplex = (of: Hex, name = 'Meta', uri = 'm'): Uint8Array =>
  Buffer.concat([
    Buffer.from([4]),
    bytes(BOB),
    bytes(of),
    text(name),
    text('MX'),
    text(uri),
    u16(0),
    Buffer.from([0, 0, 1]),
    Buffer.alloc(40),
  ]);
const interfaceAccount = (of: Hex): Uint8Array => {
  const value = ownMetadata(of, 'elsewhere');
  return Buffer.concat([
    Buffer.alloc(8, 9),
    u32(3),
    Buffer.alloc(3),
    Buffer.from([112, 132, 90, 90, 11, 88, 157, 87]),
    u32(value.length),
    value,
  ]);
};

test('a mint tells its authorities, supply, decimals and extensions', () => {
  expect(readMint(account(TOKEN_PROGRAM, mint()))).toEqual({
    standard: 'token',
    decimals: 9,
    supply: (1n << 56n) + 5n,
    mintAuthority: ALICE,
    freezeAuthority: null,
    transferFeeBps: 0,
    extensions: [],
    pointer: null,
    metadata: null,
  });
  const fee = Buffer.concat([Buffer.alloc(88), Buffer.alloc(18), u16(77)]);
  const extended = mint([
    [12, bytes(BOB)],
    [99, Buffer.alloc(2)],
    [1, fee],
    [18, pointer(MINT)],
    [19, ownMetadata(MINT)],
  ]);
  expect(readMint(account(TOKEN_2022_PROGRAM, extended))).toMatchObject({
    standard: 'token-2022',
    transferFeeBps: 77,
    extensions: ['extension99', 'metadataPointer', 'permanentDelegate', 'tokenMetadata', 'transferFeeConfig'],
    pointer: base58(MINT),
    metadata: { mint: MINT, authority: BOB, name: 'Name', symbol: 'SYM', uri: 'u' },
  });
  expect(readMint(account(TOKEN_PROGRAM, mint([], 37)))?.decimals).toBeNull();
  // A token account, a mint that was never initialized, another program's account.
  expect(readMint(account(TOKEN_PROGRAM, Buffer.alloc(165, 1)))).toBeNull();
  expect(readMint(account(TOKEN_2022_PROGRAM, Buffer.alloc(170, 1).fill(2, 165, 166)))).toBeNull();
  expect(readMint(account(TOKEN_PROGRAM, Buffer.alloc(82)))).toBeNull();
  expect(readMint(account(METAPLEX_PROGRAM, mint()))).toBeNull();
});

const pda = metaplexAddress(base58(MINT));

describe('metadata of a token', () => {
  const read = (accounts: Record<string, SolanaAccount>, decimals: number | null = null) =>
    readMintFacts(MINT, base58(MINT), new Map(Object.entries(accounts)), decimals);
  const place = id(0x77);

  test('come from where the mint points, else from Metaplex, and never from what is of another mint', () => {
    const pointing = account(TOKEN_2022_PROGRAM, mint([[18, pointer(place)]]));
    const fallback = account(METAPLEX_PROGRAM, metaplex(MINT));
    expect(tokenNeeds(base58(MINT), new Map())).toEqual([base58(MINT), pda]);
    expect(tokenNeeds(base58(MINT), new Map([[base58(MINT), pointing]]))).toEqual([base58(MINT), pda, base58(place)]);
    const uri = (target: SolanaAccount) =>
      read({ [base58(MINT)]: pointing, [base58(place)]: target, [pda]: fallback }).details!.metadata.uri;
    expect(uri(account(base58(id(5)), interfaceAccount(MINT)))).toBe('elsewhere');
    expect(uri(account(base58(id(5)), interfaceAccount(id(2))))).toBe('m');
    expect(uri(account(METAPLEX_PROGRAM, metaplex(MINT, 'x', 'pointed')))).toBe('pointed');
    expect(uri(account(base58(id(5)), new Uint8Array(0)))).toBe('m');
    const own = account(TOKEN_2022_PROGRAM, mint([[19, ownMetadata(MINT)]]));
    expect(read({ [base58(MINT)]: own, [pda]: fallback }).record).toMatchObject({ name: 'Name', symbol: 'SYM' });
    const forged = account(TOKEN_2022_PROGRAM, mint([[19, ownMetadata(id(2))]]));
    expect(read({ [base58(MINT)]: forged, [pda]: fallback }).record).toMatchObject({ name: 'Meta', symbol: 'MX' });
    // An account that only looks like Metaplex's.
    expect(read({ [base58(MINT)]: own, [pda]: account(TOKEN_PROGRAM, metaplex(MINT)) }).record.name).toBe('Name');
    expect(
      read({ [base58(MINT)]: account(TOKEN_PROGRAM, mint()), [pda]: account(TOKEN_PROGRAM, metaplex(MINT)) }).record
        .name,
    ).toBeNull();
  });

  test('of a mint that is gone: the decimals that the transaction recorded, and what Metaplex still holds', () => {
    expect(read({}, 6)).toEqual({
      record: { token: MINT, decimals: 6, symbol: null, name: null, totalSupply: null },
      details: null,
    });
    expect(read({ [pda]: account(METAPLEX_PROGRAM, metaplex(MINT)) }, 6).record).toMatchObject({
      decimals: 6,
      name: 'Meta',
    });
    // While the account is there, it decides.
    expect(read({ [base58(MINT)]: account(TOKEN_PROGRAM, mint()) }, 6).record.decimals).toBe(9);
  });

  test('are those of its launchpad where it has none of its own', () => {
    const texts = { name: 'Launched', symbol: 'LA', uri: 'l' };
    const said = (accounts: Record<string, SolanaAccount>) => {
      const { record, details } = readMintFacts(MINT, base58(MINT), new Map(Object.entries(accounts)), 6, texts);
      return [record.name, record.symbol, details?.metadata.uri];
    };
    const bare = account(TOKEN_PROGRAM, mint());
    expect(said({})).toEqual(['Launched', 'LA', undefined]);
    expect(said({ [base58(MINT)]: bare })).toEqual(['Launched', 'LA', 'l']);
    const metadata = account(METAPLEX_PROGRAM, metaplex(MINT));
    expect(said({ [base58(MINT)]: bare, [pda]: metadata })).toEqual(['Meta', 'MX', 'm']);
  });

  test('that are absurdly long are unknown, the others are not', () => {
    const long = account(METAPLEX_PROGRAM, metaplex(MINT, 'x'.repeat(1025), 'y'.repeat(1024)));
    const { record, details } = read({ [base58(MINT)]: account(TOKEN_PROGRAM, mint()), [pda]: long });
    expect([record.name, record.symbol, details!.metadata.uri]).toEqual([null, 'MX', 'y'.repeat(1024)]);
  });
});

test.each(propertySeeds(scaled(200, 20)))(
  'damaged accounts and instructions are read without a throw (seed %i)',
  (seed) => {
    const random = new SeededRandom(seed);
    const valid = [
      mint(),
      mint([
        [18, pointer(MINT)],
        [19, ownMetadata(MINT)],
        [1, Buffer.alloc(108, 3)],
      ]),
      metaplex(MINT),
      interfaceAccount(MINT),
    ];
    for (let n = 0; n < 100; n++) {
      const data = Buffer.from(random.pick(valid).subarray(0));
      for (let k = random.int(0, 6); k > 0; k--)
        data[random.int(0, data.length - 1)] = random.pick([0, 1, 2, 255, random.int(0, 255)]);
      const cut = random.chance(0.5) ? data.subarray(0, random.int(0, data.length)) : data;
      for (const owner of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM, METAPLEX_PROGRAM]) {
        const known = new Map([base58(MINT), pda].map((key) => [key, account(owner, cut)]));
        const { record, details } = readMintFacts(MINT, base58(MINT), known, null);
        for (const value of [record.name, record.symbol, details?.metadata.uri ?? null]) {
          expect(value === null || (value.length > 0 && value.length <= 1024)).toBe(true);
        }
        expect(details?.metadata.transferFeeBps ?? 0).toBeLessThanOrEqual(10_000);
        readMetaplex(account(owner, cut));
        readInterfaceMetadata(cut);
        const data58 = Buffer.concat([Buffer.from([random.pick([6, 15, 26, 33, 42, 50])]), cut]);
        tokenChanges(calls(owner, random.chance(0.5) ? data58 : cut));
      }
    }
  },
);

/** A transaction of one instruction that names seven accounts, ids 0x10 to 0x16. */
function calls(program: string, data: Uint8Array, failed = false): SolanaTransaction {
  const keys = Array.from({ length: 7 }, (_, n) => base58(id(0x10 + n)));
  const instruction = new SolanaInstruction(program, [0, 1, 2, 3, 4, 5, 6], data, 0, -1, 1);
  return new SolanaTransaction('', 1, failed, keys, 1, [instruction], 0n, [], [], [], [], []);
}

describe('changes of tokens', () => {
  const first = { mint: base58(id(0x10)), metadataAccount: '' };
  const dataV2 = Buffer.concat([
    text('n'),
    text('s'),
    text('uri\0\0'),
    u16(5),
    Buffer.from([1]),
    u32(1),
    Buffer.alloc(34),
    Buffer.from([1]),
    Buffer.alloc(33),
    Buffer.from([0]),
  ]);

  test('of authorities are those of minting and freezing, by either token program', () => {
    for (const program of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
      const change = (...data: (number | Buffer)[]) =>
        tokenChanges(
          calls(program, Buffer.concat(data.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)))),
        );
      expect(change(6, 0, 1, bytes(BOB))).toEqual([{ ...first, authority: { role: 'mint', to: BOB } }]);
      expect(change(6, 1, 0)).toEqual([{ ...first, authority: { role: 'freeze', to: null } }]);
      for (const other of [2, 3, 4, 12]) expect(change(6, other, 1, bytes(BOB))).toEqual([]);
      expect(change(6, 0, 1, bytes(BOB).subarray(1))).toEqual([]);
      expect(change(7, 0, 0)).toEqual([]);
    }
    expect(tokenChanges(calls(TOKEN_PROGRAM, Buffer.from([6, 1, 0]), true))).toEqual([]);
  });

  test('of Metaplex metadata are told by the account, of which an unchangeable one has no authority', () => {
    const none = Buffer.from([0]);
    const update = (...parts: Uint8Array[]) =>
      tokenChanges(calls(METAPLEX_PROGRAM, Buffer.concat([Buffer.from([15]), ...parts])));
    const of = { mint: '', metadataAccount: base58(id(0x10)) };
    expect(update(Buffer.from([1]), dataV2, none, none, none)).toEqual([{ ...of, uri: 'uri', authority: undefined }]);
    expect(update(none, Buffer.from([1]), bytes(ALICE), none, none)).toEqual([
      { ...of, uri: undefined, authority: { role: 'metadata', to: ALICE } },
    ]);
    expect(update(none, Buffer.from([1]), bytes(ALICE), Buffer.from([1, 1]), Buffer.from([1, 0]))).toMatchObject([
      { authority: { role: 'metadata', to: null } },
    ]);
    expect(update(none, none, Buffer.from([1, 1]), Buffer.from([1, 1]))).toEqual([]);
    expect(update(Buffer.from([1]), dataV2.subarray(0, 20))).toEqual([]);
    const both = Buffer.concat([
      Buffer.from([50, 1, 1]),
      bytes(ALICE),
      Buffer.from([1]),
      text('n'),
      text('s'),
      text('v'),
      u16(0),
      none,
      none,
      none,
    ]);
    expect(tokenChanges(calls(METAPLEX_PROGRAM, both))).toEqual([
      { mint: base58(id(0x13)), metadataAccount: '', uri: 'v', authority: { role: 'metadata', to: ALICE } },
    ]);
    expect(tokenChanges(calls(METAPLEX_PROGRAM, Buffer.from([50, 3, 0, 0, 0, 0])))).toEqual([]);
    const created = (mutable: number) =>
      tokenChanges(calls(METAPLEX_PROGRAM, Buffer.concat([Buffer.from([33]), dataV2, Buffer.from([mutable, 0])])));
    expect(created(1)).toEqual([
      { mint: base58(id(0x11)), metadataAccount: '', uri: 'uri', authority: { role: 'metadata', to: id(0x14) } },
    ]);
    expect(created(0)).toMatchObject([{ authority: { role: 'metadata', to: null } }]);
  });
});
