import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  getTransactionEncoder,
  type Instruction as KitInstruction,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { solanaIds } from '#libs/chains/solana/ids.js';
import { isSigner, isWritable, readTransaction, type WireTransaction } from '#libs/chains/solana/wire-transaction.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/testing/seeded-random.js';
import type { AccountUse, Instruction } from '#programs/client.js';
import { encodeTransaction, MAX_BYTES, type TransactionConfig, TransactionLimitError } from './v1-transaction.js';

/** What a transaction means, whatever the order of its keys. */
function meaning(wire: WireTransaction) {
  const { keys, instructions, signatures, config, header, blockhash, version } = wire;
  const use = (index: number) =>
    `${keys[index]}${isSigner(wire, index) ? ' signs' : ''}${isWritable(wire, index) ? ' written' : ''}`;
  return {
    ...{ version, blockhash, header, config, payer: use(0), size: wire.wire.length },
    keys: keys.map((_, index) => use(index)).sort(),
    instructions: instructions.map(({ programIndex, accounts, data }) => ({
      program: use(programIndex),
      accounts: [...accounts].map(use),
      data: Buffer.from(data).toString('hex'),
    })),
    unsigned: signatures.every((signature) => signature.every((byte) => byte === 0)),
  };
}

interface Case {
  payer: string;
  instructions: Instruction[];
  config: TransactionConfig;
  blockhash: string;
}

function randomCase(random: SeededRandom): Case {
  const pool = Array.from({ length: random.int(1, 70) }, () => random.hex(32));
  const programs = Array.from({ length: random.int(1, 4) }, () => random.hex(32));
  const payer = random.hex(32);
  const signing = new Set(pool.filter(() => random.chance(0.1)));
  const account = (): AccountUse => {
    const id = random.chance(0.1) ? payer : random.pick(pool);
    return { id, signer: id === payer ? random.chance(0.5) : signing.has(id), writable: random.chance(0.5) };
  };
  return {
    payer,
    instructions: Array.from({ length: random.int(1, 8) }, () => ({
      program: random.pick(programs),
      accounts: Array.from({ length: random.int(0, 24) }, account),
      data: Buffer.from(random.hex(random.int(1, random.chance(0.1) ? 2_000 : 120)), 'hex'),
    })),
    config: {
      computeUnitLimit: random.int(1, 1_400_000),
      loadedAccountsDataSizeLimit: random.int(1, 1 << 26),
      priorityFeeLamports: random.chance(0.5) ? 0n : BigInt(`0x${random.hex(7)}`),
      heapSize: random.chance(0.5) ? null : 32_768 + 1_024 * random.int(0, 200),
    },
    blockhash: random.hex(32),
  };
}

/** The same by the kit; null where it refuses, or where the bytes are too many. */
function byKit({ payer, instructions, config, blockhash }: Case): Uint8Array | null {
  const text = (id: string): Address => address(solanaIds.formatAddress(id));
  const { computeUnitLimit, loadedAccountsDataSizeLimit, priorityFeeLamports, heapSize } = config;
  const limits = {
    ...{ computeUnitLimit, loadedAccountsDataSizeLimit },
    ...(priorityFeeLamports > 0n ? { priorityFeeLamports } : {}),
    ...(heapSize === null ? {} : { heapSize }),
  };
  const lifetime = { blockhash: text(blockhash) as string as Blockhash, lastValidBlockHeight: 0n };
  const asked = instructions.map(({ program, accounts, data }) => ({
    programAddress: text(program),
    accounts: accounts.map(({ id, signer, writable }) => ({
      address: text(id),
      role: (signer ? 2 : 0) | (writable ? 1 : 0),
    })),
    data,
  })) as KitInstruction[];
  try {
    const message = pipe(
      createTransactionMessage({ version: 1 as 0 }),
      (m) => setTransactionMessageFeePayer(text(payer), m),
      (m) => setTransactionMessageLifetimeUsingBlockhash(lifetime, m),
      (m) => setTransactionMessageConfig(limits, m as never) as unknown as typeof m,
      (m) => appendTransactionMessageInstructions(asked, m),
    );
    const bytes = new Uint8Array(getTransactionEncoder().encode(compileTransaction(message)));
    return bytes.length > MAX_BYTES ? null : bytes;
  } catch {
    return null;
  }
}

function byHand({ payer, instructions, config, blockhash }: Case): Uint8Array | null {
  try {
    return encodeTransaction(payer, instructions, config, Buffer.from(blockhash, 'hex')).bytes;
  } catch (error) {
    expect(error).toBeInstanceOf(TransactionLimitError);
    return null;
  }
}

describe('unsigned v1 transactions', () => {
  it('mean what those of the kit mean, by a strict reader, and are refused where it refuses', () => {
    const seen = { same: 0, refused: 0 };
    for (const seed of propertySeeds(scaled(2_000, 200))) {
      const one = randomCase(new SeededRandom(seed));
      const [ours, theirs] = [byHand(one), byKit(one)];
      expect({ seed, refused: ours === null }).toEqual({ seed, refused: theirs === null });
      if (ours === null || theirs === null) {
        seen.refused++;
        continue;
      }
      expect(ours[0]).toBe(0x81);
      expect({ seed, ...meaning(readTransaction(ours)) }).toEqual({ seed, ...meaning(readTransaction(theirs)) });
      seen.same++;
    }
    expect(seen.same).toBeGreaterThan(50);
    expect(seen.refused).toBeGreaterThan(0);
  });

  it('name the limit and the figure', () => {
    const config = { computeUnitLimit: 1, loadedAccountsDataSizeLimit: 1, priorityFeeLamports: 0n, heapSize: null };
    const key = (n: number) => n.toString(16).padStart(64, '0');
    const uses = (count: number, signer = false) =>
      Array.from({ length: count }, (_, n) => ({ id: key(n + 100), signer, writable: false }));
    const encode =
      (accounts: AccountUse[], data = 0) =>
      () =>
        encodeTransaction(
          key(1),
          [{ program: key(2), accounts, data: new Uint8Array(data) }],
          config,
          new Uint8Array(32),
        );
    expect(encode(uses(62))().keys).toHaveLength(64);
    expect(encode(uses(63))).toThrow('at most 64 account keys; this one has 65');
    expect(encode(uses(11, true))().signers).toBe(12);
    expect(encode(uses(12, true))).toThrow('at most 12 signatures; this one has 13');
    const room = 4_096 - encode([])().bytes.length;
    expect(encode([], room)().bytes).toHaveLength(4_096);
    expect(encode([], room + 1)).toThrow('at most 4096 bytes; this one has 4097');
    const many = Array.from({ length: 65 }, () => ({ program: key(2), accounts: [], data: new Uint8Array() }));
    expect(() => encodeTransaction(key(1), many, config, new Uint8Array(32))).toThrow('at most 64 instructions');
    const paying = [{ program: key(1), accounts: [], data: new Uint8Array() }];
    expect(() => encodeTransaction(key(1), paying, config, new Uint8Array(32))).toThrow('payer');
  });
});
