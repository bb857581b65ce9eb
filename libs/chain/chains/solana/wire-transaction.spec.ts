import {
  appendTransactionMessageInstruction,
  compileTransaction,
  createTransactionMessage,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionEncoder,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { decodeBase58, encodeBase58 } from '#libs/core/base58.js';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { Svm } from '#libs/devkit/devnet/solana/svm.js';
import { testScale as scale, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { readMessage, readTransaction, WireError, withBlockhash } from './wire-transaction.js';

/** The reader agrees with kit on whole transactions, and what it accepts never ends the virtual machine. */
const PROGRAMS = [
  '11111111111111111111111111111111',
  'ComputeBudget111111111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'AddressLookupTab1e1111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'Stake11111111111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
] as never[];
const VERSIONS = ['legacy', 0, 1] as const;

const bytes = (random: SeededRandom, length: number): Uint8Array => Uint8Array.from({ length }, () => random.int(256));
const key = (random: SeededRandom) => getBase58Decoder().decode(bytes(random, 32)) as never;

function built(random: SeededRandom, version: (typeof VERSIONS)[number]): Uint8Array {
  const keys = Array.from({ length: random.between(1, 5) }, () => key(random));
  const config = { computeUnitLimit: random.int(1_400_000), priorityFeeLamports: BigInt(random.uint32()) << 20n };
  let message = pipe(
    createTransactionMessage({ version: version as 0 }),
    (m) => setTransactionMessageFeePayer(key(random), m),
    (m) => setTransactionMessageLifetimeUsingBlockhash({ blockhash: key(random), lastValidBlockHeight: 0n }, m),
    (m) => (version === 1 ? (setTransactionMessageConfig(config, m as never) as typeof m) : m),
  );
  for (let i = random.between(0, 3); i >= 0; i--) {
    const accounts = keys.filter(() => random.chance(0.7)).map((address) => ({ address, role: random.int(4) }));
    const instruction = {
      programAddress: random.chance(0.7) ? random.pick(PROGRAMS) : key(random),
      accounts,
      data: bytes(random, random.int(100)),
    };
    message = appendTransactionMessageInstruction(instruction as never, message) as never;
  }
  return new Uint8Array(getTransactionEncoder().encode(compileTransaction(message)));
}

test('reads what kit writes, field by field', () => {
  const random = new SeededRandom(11);
  for (let i = 0; i < 600 * scale; i++) {
    const version = VERSIONS[i % 3] as (typeof VERSIONS)[number];
    const wire = built(random, version);
    const read = readTransaction(wire);
    const kit = getCompiledTransactionMessageDecoder().decode(read.message);
    expect(read.version).toBe(version);
    expect(kit.version).toBe(version);
    expect(read.keys).toEqual(kit.staticAccounts);
    expect(read.blockhash).toBe(kit.lifetimeToken);
    expect(read.header.required).toBe(kit.header.numSignerAccounts);
    expect(encodeBase58(wire.subarray(read.blockhashAt, read.blockhashAt + 32))).toBe(read.blockhash);
    if ('instructions' in kit) {
      expect(read.instructions.map((one) => ({ program: one.programIndex, data: Buffer.from(one.data) }))).toEqual(
        kit.instructions.map((one) => ({ program: one.programAddressIndex, data: Buffer.from(one.data ?? []) })),
      );
    }
    expect(readMessage(read.message).message).toEqual(read.message);
    const hash = bytes(random, 32);
    expect(withBlockhash(read, hash)).toMatchObject({ blockhash: encodeBase58(hash), keys: read.keys });
  }
});

test('changed, cut and random bytes are refused, or run without harm', () => {
  const seed = testSeed(23);
  const random = new SeededRandom(seed);
  const svm = Svm.fresh();
  let ran = 0;
  for (let i = 0; i < 20_000 * scale; i++) {
    const wire = built(random, random.pick(VERSIONS));
    const changed = random.chance(0.1) ? bytes(random, random.int(300)) : wire.slice();
    for (let n = random.between(1, 3); n > 0; n--) {
      const at = random.chance(0.5) ? random.int(Math.min(120, changed.length)) : random.int(changed.length);
      if (changed.length > 0) changed[at] = random.pick([0, 1, 2, 127, 128, 129, 255, random.int(256)]);
    }
    const cut = random.chance(0.2) ? changed.subarray(0, random.int(changed.length + 1)) : changed;
    try {
      const read = readTransaction(cut);
      ran++;
      const owner = '1'.repeat(32);
      const account = { lamports: 10n ** 12n, owner, data: new Uint8Array(0), executable: false, rentEpoch: 0n };
      // Half of them can pay, and reach the programs.
      if (random.chance(0.5)) svm.edit({ kind: 'account', address: read.keys[0] as string, account });
      svm.simulate(read, false);
      expect(svm.execute(read).landed).toBe(false);
    } catch (error) {
      if (!(error instanceof WireError)) throw new Error(`seed ${seed}, case ${i}`, { cause: error });
    }
  }
  expect(ran).toBeGreaterThan(0);
});

test('one form only: no byte left over, no longer way to write a length, no unknown version', () => {
  const wire = built(new SeededRandom(5), 0);
  expect(() => readTransaction(Buffer.concat([wire, Uint8Array.of(0)]))).toThrow('left over');
  expect(() =>
    readTransaction(Buffer.concat([Uint8Array.of(0x80 | (wire[0] as number), 0), wire.subarray(1)])),
  ).toThrow('non-canonical');
  const version = 1 + 64 * (wire[0] as number);
  const other = wire.slice();
  other[version] = 0x82;
  expect(() => readTransaction(other)).toThrow('version 2');
  expect(() => readTransaction(new Uint8Array(1233))).toThrow('too large');
  expect(() => readTransaction(new Uint8Array(0))).toThrow(WireError);
});

test('base58 both ways', () => {
  const random = new SeededRandom(3);
  for (let i = 0; i < 2000 * scale; i++) {
    const value = bytes(random, random.int(70));
    if (random.chance(0.3)) value.fill(0, 0, random.int(value.length + 1));
    const text = encodeBase58(value);
    expect(text).toBe(getBase58Decoder().decode(value));
    expect(decodeBase58(text)).toEqual(value);
  }
  for (const text of ['0', 'O', 'I', 'l', 'é', ' ']) expect(decodeBase58(text)).toBeNull();
});
