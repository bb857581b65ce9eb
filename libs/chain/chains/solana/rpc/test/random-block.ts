import { encodeBase58 } from '#libs/core/base58.js';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { VOTE_PROGRAM } from '../vote-shapes.js';

/** Blocks as nodes write them, of any content: what a scanner of their bytes has to read as JSON.parse does. */
export interface RandomBlockOptions {
  transactions: number;
  /** Share of votes. */
  votes: number;
  /** Odd contents: missing and strange fields, votes next to other calls, escapes. */
  odd: boolean;
}

const bytes = (random: SeededRandom, count: number): Uint8Array =>
  Uint8Array.from({ length: count }, () => random.int(256));
const address = (random: SeededRandom): string => encodeBase58(bytes(random, 32));

export function randomBlock(random: SeededRandom, options: RandomBlockOptions): Record<string, unknown> {
  const pool = Array.from({ length: 40 }, () => address(random));
  const signature = encodeBase58(bytes(random, 64)).slice(0, 80);
  return {
    blockHeight: random.int(1e9),
    blockTime: random.chance(0.1) ? null : 1_700_000_000 + random.int(1e6),
    blockhash: address(random),
    parentSlot: random.int(1e9),
    previousBlockhash: address(random),
    transactions: Array.from({ length: options.transactions }, (_, n) => {
      const made = random.chance(options.votes)
        ? vote(random, pool, `${signature}${1000 + n}`)
        : swap(random, pool, `${signature}${1000 + n}`);
      return options.odd && random.chance(0.3) ? oddly(random, made) : made;
    }),
  };
}

interface Entry {
  transaction: { signatures: string[]; message: Record<string, unknown> & { accountKeys: string[] } };
  meta: Record<string, unknown>;
  version?: unknown;
}

function vote(random: SeededRandom, pool: string[], signature: string): Entry {
  const data = encodeBase58(bytes(random, 148));
  const [identity, account] = [pool[random.int(40)]!, pool[random.int(40)]!];
  return {
    meta: {
      ...{ computeUnitsConsumed: 2100, err: null, fee: 5000, innerInstructions: [] },
      loadedAddresses: { readonly: [], writable: [] },
      logMessages: [`Program ${VOTE_PROGRAM} invoke [1]`, `Program ${VOTE_PROGRAM} success`],
      ...{ postBalances: [random.int(1e9), random.int(1e9), 1], postTokenBalances: [] },
      ...{ preBalances: [random.int(1e9), random.int(1e9), 1], preTokenBalances: [], rewards: null },
      status: { Ok: null },
    },
    transaction: {
      message: {
        accountKeys: [identity, account, VOTE_PROGRAM],
        header: { numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 1, numRequiredSignatures: 1 },
        instructions: [{ accounts: [1, 0], data, programIdIndex: 2, stackHeight: 1 }],
        recentBlockhash: pool[random.int(40)]!,
      },
      signatures: [signature],
    },
    version: 'legacy',
  };
}

function swap(random: SeededRandom, pool: string[], signature: string): Entry {
  const keys = Array.from({ length: random.between(8, 24) }, () => pool[random.int(40)]!);
  const accounts = (): number[] => Array.from({ length: random.between(4, 17) }, () => random.int(keys.length));
  const call = (height: number): object => ({
    ...{ accounts: accounts(), data: encodeBase58(bytes(random, random.between(9, 40))) },
    ...{ programIdIndex: random.int(keys.length), stackHeight: height },
  });
  const balance = (n: number): object => ({
    ...{ accountIndex: n, mint: pool[random.int(40)], owner: pool[random.int(40)] },
    programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    uiTokenAmount: { amount: `${random.int(1e9)}`, decimals: 6, uiAmount: 12.5, uiAmountString: '12.5' },
  });
  const balances = Array.from({ length: random.between(2, 8) }, (_, n) => balance(n));
  return {
    meta: {
      ...{ computeUnitsConsumed: random.int(400_000), err: random.chance(0.2) ? { InstructionError: [2, 'x'] } : null },
      fee: 5000 + random.int(100_000),
      innerInstructions: [{ index: 0, instructions: Array.from({ length: random.int(8) }, () => call(2)) }],
      loadedAddresses: { readonly: [], writable: [] },
      logMessages: Array.from({ length: random.between(6, 30) }, () => logLine(random, pool)),
      ...{ postBalances: keys.map(() => random.int(1e12)), postTokenBalances: balances },
      ...{ preBalances: keys.map(() => random.int(1e12)), preTokenBalances: balances, rewards: null },
      status: { Ok: null },
    },
    transaction: {
      message: {
        accountKeys: keys,
        header: { numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 5, numRequiredSignatures: 1 },
        instructions: Array.from({ length: random.between(1, 5) }, () => call(1)),
        recentBlockhash: pool[random.int(40)]!,
      },
      signatures: [signature],
    },
    version: 0,
  };
}

function logLine(random: SeededRandom, pool: string[]): string {
  const program = pool[random.int(40)]!;
  const lines = [
    `Program ${program} invoke [2]`,
    `Program ${program} consumed ${random.int(200_000)} of ${random.int(200_000)} compute units`,
    `Program data: ${Buffer.from(bytes(random, random.between(20, 120))).toString('base64')}`,
    'Program log: Instruction: Swap',
    'Program log: Memo (len 9): "gm \\ ☕\\n"',
  ];
  return lines[random.int(lines.length)]!;
}

/** One strange thing about an entry. */
function oddly(random: SeededRandom, entry: Entry): unknown {
  const { message } = entry.transaction;
  const call = { accounts: [0], data: '', programIdIndex: random.int(message.accountKeys.length), stackHeight: null };
  const named = { ...call, programIdIndex: undefined, programId: VOTE_PROGRAM };
  switch (random.int(13)) {
    case 0:
      return { ...entry, transaction: ['AAAA', 'base64'] };
    case 1:
      return null;
    case 2:
      return [entry];
    case 3:
      message.instructions = [];
      return entry;
    case 4:
      message.instructions = [...(message.instructions as object[]), call];
      return entry;
    case 5:
      message.instructions = [named];
      return entry;
    case 6:
      message.accountKeys.unshift(VOTE_PROGRAM);
      return entry;
    case 7:
      delete message.instructions;
      return entry;
    case 8:
      return { ...entry, transaction: { ...entry.transaction, message: null } };
    case 9:
      message.instructions = [{ ...call, programIdIndex: [2, 2.5, '2', null, -1, 1e21, 99][random.int(7)] }];
      return entry;
    case 10:
      message.accountKeys = message.accountKeys.map((pubkey) => ({ pubkey })) as never;
      return entry;
    case 11:
      return { note: '"}]\\', ...entry, transaction: { note: '{"message":{', ...entry.transaction } };
    default:
      return {};
  }
}
