import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { scaled, testSeed } from '#libs/devkit/testing/seeded-random.js';
import { MalformedTransactionError } from '../malformed.js';
import { readSolanaTransaction } from '../read-transaction.js';
import { VOTE_PROGRAM } from '../rpc/vote-shapes.js';
import { geyserAddress, isGeyserUrl } from './geyser-address.js';
import { blockRequest, type GeyserUpdate, pingRequest, readUpdate } from './geyser-update.js';
import { KeyTexts } from './key-texts.js';
import { ProtobufReader } from './protobuf.js';
import {
  decodeRequest,
  encodeUpdate,
  geyserTransaction,
  recorded,
  recordedEntry,
  told,
} from './test/geyser-messages.js';

/** Messages of Geyser streams against what the same transactions are in a node's JSON. */
const seed = testSeed(1);
const texts = new KeyTexts();
const read = (update: object): GeyserUpdate => readUpdate(encodeUpdate(update), texts);
const entries = [...(recorded.block.transactions as object[]), ...recorded.transactions].map((info) =>
  recordedEntry(info as Record<string, unknown>),
);
const header = {
  slot: '344556402',
  blockhash: recorded.block.blockhash,
  blockTime: { timestamp: '1749038413' },
  parentSlot: '344556401',
  parentBlockhash: recorded.block.parentBlockhash,
};
const blockOf = (transactions: readonly object[], rest: object = {}) => ({
  filters: ['blocks'],
  block: { ...header, executedTransactionCount: transactions.length, transactions, ...rest },
  createdAt: { seconds: '1749038414', nanos: 5 },
});

describe('transactions', () => {
  test('recorded ones are what their JSON is', () => {
    // Out of order: the place in the block decides.
    const infos = entries.map((entry, index) => geyserTransaction(entry, index)).reverse();
    const update = read(blockOf(infos));
    if (update.kind !== 'block') throw new Error(update.kind);
    expect(update.block.transactions.map(({ index }) => index)).toEqual(entries.map((_, index) => index));
    for (const { index, tx } of update.block.transactions) {
      expect(told(tx)).toEqual(told(readSolanaTransaction(entries[index] as Record<string, unknown>)));
    }
    const { transactions } = update.block;
    expect(transactions.some(({ tx }) => tx.failed)).toBe(true);
    expect(transactions.some(({ tx }) => tx.keys.length > 50 && tx.tokensBefore.length > 10)).toBe(true);
    expect(transactions.some(({ tx }) => tx.instructions.some(({ depth }) => depth === 2))).toBe(true);
  });

  test('whole numbers round as JSON does, up to 64 bits', () => {
    const amounts = [0, 127, 128, 2 ** 49 - 1, 2 ** 49, 2 ** 53 + 2].map(String);
    amounts.push('9007199254740993', '18446744073709551615');
    const info = geyserTransaction(entries[0] as Record<string, unknown>, 0);
    const update = read(
      blockOf([{ ...info, meta: { ...(info.meta as object), preBalances: amounts, fee: '9007199254740993' } }]),
    );
    if (update.kind !== 'block') throw new Error(update.kind);
    const { tx } = update.block.transactions[0]!;
    expect(tx.lamportsBefore).toEqual(amounts.map(Number));
    expect(tx.fee).toBe(9007199254740993n);
  });
});

describe('blocks', () => {
  const infos = entries.map((entry, index) => geyserTransaction(entry, index));

  test('the header is a node’s', () => {
    const update = read(blockOf([]));
    expect(update).toEqual({
      kind: 'block',
      block: {
        slot: 344556402,
        count: 0,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        parentSlot: 344556401,
        parentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        time: 1749038413000,
        transactions: [],
      },
    });
    expect(read(blockOf([], { blockTime: undefined }))).toMatchObject({ block: { time: null } });
  });

  test('votes are left out, by the validator’s mark or by their programs; places stay', () => {
    const vote = entries[0] as { transaction: { message: { accountKeys: string[]; instructions: object[] } } };
    const { message } = vote.transaction;
    const accountKeys = [...message.accountKeys.slice(0, 1), VOTE_PROGRAM];
    const instructions = [{ programIdIndex: 1, accounts: [0], data: '3Bxs' }];
    const only = { ...vote, transaction: { ...vote.transaction, message: { ...message, accountKeys, instructions } } };
    const meta = { ...(entries[0]!.meta as object), innerInstructions: [] };
    const unmarked = geyserTransaction({ ...only, meta }, 1);
    const marked = geyserTransaction(entries[1]!, 0, true);
    const update = read(blockOf([marked, unmarked, { ...infos[2], index: 2 }]));
    expect(update).toMatchObject({ kind: 'block', block: { transactions: [{ index: 2 }] } });
  });

  test('what is not whole is only a slot', () => {
    const part = { kind: 'part', slot: 344556402 };
    expect(read({ block: recordedBlock() })).toEqual(part);
    expect(read(blockOf(infos, { executedTransactionCount: infos.length + 1 }))).toEqual(part);
    expect(read(blockOf([infos[0]!, { ...infos[1], index: 0 }]))).toEqual(part);
    expect(read(blockOf([{ ...infos[0], index: 1 }]))).toEqual(part);
    for (const wrong of [{ blockhash: 'x' }, { parentBlockhash: '' }, { parentSlot: '344556402' }]) {
      expect(read(blockOf([], wrong))).toEqual(part);
    }
  });

  /** As recorded: three transactions of 1,665. */
  function recordedBlock(): object {
    const list = recorded.block.transactions as Record<string, unknown>[];
    const transactions = list.map((info) => geyserTransaction(recordedEntry(info), Number(info.index)));
    return { ...header, executedTransactionCount: recorded.block.executedTransactionCount, transactions };
  }

  test('other messages', () => {
    expect(read({ ping: {} })).toEqual({ kind: 'ping' });
    expect(read({ pong: { id: 1 } })).toEqual({ kind: 'pong' });
    expect(read({ slot: { slot: 5 } })).toEqual({ kind: 'other' });
    expect(readUpdate(Buffer.alloc(0), texts)).toEqual({ kind: 'other' });
  });
});

test('requests ask for confirmed blocks with transactions, and for a pong', () => {
  expect(decodeRequest(blockRequest())).toMatchObject({
    blocks: {
      blocks: { accountInclude: [], includeTransactions: true, includeAccounts: false, includeEntries: false },
    },
    commitment: 'CONFIRMED',
  });
  expect(decodeRequest(pingRequest())).toMatchObject({ blocks: {}, ping: { id: 1 } });
});

describe('bytes that are no message', () => {
  test('end in one kind of error, whatever they are', () => {
    const good = encodeUpdate(blockOf(entries.map((entry, index) => geyserTransaction(entry, index))));
    const random = new SeededRandom(seed);
    const rounds = scaled(5000, 500);
    const counts = { read: 0, refused: 0 };
    for (let round = 0; round < rounds; round++) {
      let bytes = Buffer.from(good);
      for (let n = random.between(1, 4); n > 0; n--)
        bytes[random.between(0, bytes.length - 1)] = random.between(0, 255);
      if (random.chance(0.3)) bytes = bytes.subarray(0, random.between(0, bytes.length));
      try {
        readUpdate(bytes, texts);
        counts.read++;
      } catch (error) {
        if (!(error instanceof MalformedTransactionError)) throw new Error(`seed ${seed}, round ${round}: ${error}`);
        counts.refused++;
      }
    }
    expect(counts.read > 0 && counts.refused > 0).toBe(true);
  });

  const cases: [string, number[]][] = [
    ['a field without a number', [0x02, 0x00]],
    ['a field that is longer than its message', [0x0a, 0x05, 0x00]],
    ['a field that is longer than its message', [0x0d, 0x00]],
    ['it ends in the middle of a number', [0x08]],
    ['a field of type 3', [0x0b]],
    ['a number of more than 64 bits', [0x08, ...Array<number>(11).fill(0xff)]],
  ];
  test.each(cases)('%s', (reason, bytes) => {
    const walk = (): void => {
      const reader = new ProtobufReader(Buffer.from(bytes), 'message');
      while (reader.next());
    };
    expect(walk).toThrow(reason);
  });

  test('keys of another length and balances without an amount', () => {
    const info = geyserTransaction(entries[0]!, 0) as { transaction: { message: object }; meta: object };
    const message = { ...info.transaction.message, accountKeys: [Buffer.alloc(31)] };
    expect(() => read(blockOf([{ ...info, transaction: { ...info.transaction, message } }]))).toThrow('not 32 bytes');
    const meta = { ...info.meta, preTokenBalances: [{ accountIndex: 1, mint: 'x', uiTokenAmount: { amount: '1.5' } }] };
    expect(() => read(blockOf([{ ...info, meta }]))).toThrow('preTokenBalances: not a token balance');
    expect(() => read(blockOf([{ index: 0 }]))).toThrow('without a message');
  });
});

test('texts of keys are those of base58, also when the oldest are forgotten', () => {
  const few = new KeyTexts(4);
  const keys = Array.from({ length: 12 }, (_, n) => Buffer.alloc(32, n).toString('latin1'));
  const made = [...keys, ...keys.slice(8), ...keys].map((key) => few.get(key));
  expect(new Set(made).size).toBe(12);
  expect(made.slice(0, 12)).toEqual(made.slice(-12));
  expect(made[0]).toBe('1'.repeat(32));
});

describe('addresses', () => {
  const good: [string, object][] = [
    ['grpc://127.0.0.1:7777', { target: '127.0.0.1:7777', secure: false, token: null }],
    ['grpc://node', { target: 'node:10000', secure: false, token: null }],
    ['grpcs://node.example/', { target: 'node.example:443', secure: true, token: null }],
    ['grpcs://t%2Fk@node.example:8443', { target: 'node.example:8443', secure: true, token: 't/k' }],
    ['grpcs://node.example?x-token=abc', { target: 'node.example:443', secure: true, token: 'abc' }],
    ['grpc://[::1]:5', { target: '[::1]:5', secure: false, token: null }],
  ];
  test.each(good)('%s', (url, expected) => {
    expect([isGeyserUrl(url), geyserAddress(url)]).toEqual([true, expected]);
  });

  const bad = [
    'grpc:node',
    'grpc://',
    'https://node',
    'grpc://node/path',
    'grpc://node?token=s3cret',
    'grpc://s3cret:b@node',
  ];
  test.each([...bad, 'grpc://node?x-token=s3%0Acret', 'grpc://s3cret@node?x-token=b'])('%s is refused', (url) => {
    expect(() => geyserAddress(url)).toThrow(RangeError);
    expect(() => geyserAddress(url)).not.toThrow(/s3|cret/);
  });
});
