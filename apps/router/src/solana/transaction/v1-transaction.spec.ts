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
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import {
  isSigner,
  isWritable,
  readTransaction,
  type WireTransaction,
} from '#libs/chain/chains/solana/wire-transaction.js';
import { SeededKey } from '#libs/devkit/devnet/solana/market/seeded-key.js';
import { transferLamports } from '#libs/devkit/devnet/solana/market/token-calls.js';
import { Svm } from '#libs/devkit/devnet/solana/svm.js';
import { propertySeeds, SeededRandom, scaled } from '#libs/devkit/testing/seeded-random.js';
import { type AccountUse, type Instruction, reads, SYSTEM_PROGRAM } from '#programs/client.js';
import { type TransactionConfig } from '../model/transaction.js';
import { encodeTransaction, MAX_BYTES, TransactionLimitError } from './v1-transaction.js';

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
      data: textOf(data),
    })),
    unsigned: signatures.every((signature) => signature.every((byte) => byte === 0)),
  };
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const RICH = 1_000_000_000_000n;
const walletOf = (lamports: bigint) => ({
  ...{ lamports, owner: solanaIds.formatAddress(SYSTEM_PROGRAM), data: new Uint8Array() },
  ...{ executable: false, rentEpoch: 0n },
});

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
  it('have the bytes of those of the kit, mean the same by a strict reader, and are refused where it refuses', () => {
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
      expect({ seed, bytes: textOf(ours) }).toEqual({ seed, bytes: textOf(theirs) });
      expect({ seed, ...meaning(readTransaction(ours)) }).toEqual({ seed, ...meaning(readTransaction(theirs)) });
      seen.same++;
    }
    expect(seen.same).toBeGreaterThan(50);
    expect(seen.refused).toBeGreaterThan(0);
  });

  it('are read by the Rust crates of validators, in the virtual machine: every transfer is made as it is asked for', () => {
    const wallets = Array.from({ length: 24 }, (_, n) => new SeededKey(`wallet ${n} of transfers`));
    const keyOf = new Map(wallets.map((wallet) => [wallet.id, wallet]));
    const svm = Svm.fresh();
    const held = new Map(wallets.map(({ id }) => [id, RICH]));
    for (const { address: at } of wallets) svm.edit({ kind: 'account', address: at, account: walletOf(RICH) });
    let most = { keys: 0, signers: 0, bytes: 0 };
    for (const seed of propertySeeds(scaled(1_000, 100))) {
      const random = new SeededRandom(seed);
      const first = random.int(0, 22);
      const some = wallets.slice(first, random.int(first + 2, 24)).map(({ id }) => id);
      const senders = some.slice(0, Math.min(random.int(1, 12), some.length));
      const priorityFeeLamports = BigInt(random.int(0, 9_999));
      const instructions = Array.from({ length: random.int(1, 40) }, () => {
        const from = random.pick(senders);
        const to = random.pick(some.filter((id) => id !== from));
        const lamports = BigInt(random.int(1, 1_000_000));
        held.set(from, held.get(from)! - lamports);
        held.set(to, held.get(to)! + lamports);
        const transfer = transferLamports(from, to, lamports);
        const more = Array.from({ length: random.int(0, 3) }, () => reads(random.hex(32)));
        return random.chance(0.2) ? { ...transfer, accounts: [...transfer.accounts, ...more] } : transfer;
      });
      const config = {
        ...{ computeUnitLimit: random.int(10_000, 1_400_000), loadedAccountsDataSizeLimit: 1 << 20 },
        ...{ priorityFeeLamports, heapSize: random.chance(0.5) ? null : 65_536 },
      };
      const payer = senders[0]!;
      const { bytes, keys, signers } = encodeTransaction(payer, instructions, config, random.bytes(32));
      const message = bytes.subarray(0, bytes.length - 64 * signers);
      for (const [n, id] of keys.slice(0, signers).entries())
        bytes.set(keyOf.get(id)!.sign(message), message.length + 64 * n);
      held.set(payer, held.get(payer)! - 5_000n * BigInt(signers) - priorityFeeLamports);
      const { meta } = svm.execute(readTransaction(bytes));
      expect({ seed, err: meta.err }).toEqual({ seed, err: null });
      expect({ seed, held: wallets.map(({ address: at }) => svm.account(at)!.lamports) }).toEqual({
        ...{ seed, held: wallets.map(({ id }) => held.get(id)) },
      });
      most = {
        ...{ keys: Math.max(most.keys, keys.length), signers: Math.max(most.signers, signers) },
        bytes: Math.max(most.bytes, bytes.length),
      };
    }
    console.log(JSON.stringify(most));
    expect(most.signers).toBeGreaterThan(6);
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
