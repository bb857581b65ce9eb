import { encodeBase58 } from '#libs/core/base58.js';
import { SolanaInstruction } from '../instruction.js';
import { MalformedTransactionError } from '../malformed.js';
import { readAmount } from '../parsed-instruction.js';
import { SolanaTransaction, type TokenBalance } from '../transaction.js';
import type { KeyTexts } from './key-texts.js';
import type { ProtobufReader } from './protobuf.js';

/**
 * A transaction of a Geyser stream (SubscribeUpdateTransactionInfo of geyser.proto, with Transaction and
 * TransactionStatusMeta of solana-storage.proto). The outcome equals what reading the same transaction of a getBlock answer
 * gives; only that base58 is made where a text is needed, and data stay bytes.
 */
export interface GeyserTransaction {
  /** Place in the whole block. */
  index: number;
  /** Null for one that the validator marked as a simple vote. */
  tx: SolanaTransaction | null;
}

interface RawInstruction {
  program: number;
  accounts: number[];
  data: Uint8Array;
  /** 0 where it is not recorded. */
  depth: number;
}

interface Message {
  signature: string;
  keys: string[];
  signerCount: number;
  instructions: RawInstruction[];
}

interface Meta {
  failed: boolean;
  fee: bigint;
  before: number[];
  after: number[];
  calls: Map<number, RawInstruction[]>;
  logs: string[];
  tokensBefore: TokenBalance[];
  tokensAfter: TokenBalance[];
  writable: string[];
  readonly: string[];
}

export function readGeyserTransaction(info: ProtobufReader, path: string, texts: KeyTexts): GeyserTransaction {
  let index = 0;
  let vote = false;
  let message: Message | null = null;
  let meta: Meta | null = null;
  while (info.next()) {
    if (info.field === 2) vote = info.bool();
    else if (info.field === 5) index = info.number();
    // Votes are most of a block; their flag comes before what it saves to read.
    else if (info.field === 3 && !vote) message = readTransaction(info.message(path), path, texts);
    else if (info.field === 4 && !vote) meta = readMeta(info.message(`${path}.meta`), `${path}.meta`, texts);
  }
  if (vote) return { index, tx: null };
  if (!message || !meta) throw new MalformedTransactionError(path, message ? 'without meta' : 'without a message');
  const keys = message.keys.concat(meta.writable, meta.readonly);
  const tx = new SolanaTransaction(
    message.signature,
    null,
    meta.failed,
    keys,
    Math.min(message.signerCount, keys.length),
    flatten(message.instructions, meta.calls, keys, path),
    meta.fee,
    meta.before,
    meta.after,
    meta.tokensBefore,
    meta.tokensAfter,
    meta.logs,
  );
  return { index, tx };
}

function readTransaction(transaction: ProtobufReader, path: string, texts: KeyTexts): Message {
  const found: Message = { signature: '', keys: [], signerCount: 0, instructions: [] };
  while (transaction.next()) {
    if (transaction.field === 1 && found.signature === '') found.signature = encodeBase58(transaction.bytes());
    else if (transaction.field === 2) readMessage(transaction.message(`${path}.message`), path, texts, found);
  }
  return found;
}

function readMessage(message: ProtobufReader, path: string, texts: KeyTexts, into: Message): void {
  while (message.next()) {
    if (message.field === 1) {
      const header = message.message(`${path}.message.header`);
      while (header.next()) if (header.field === 1) into.signerCount = header.number();
    } else if (message.field === 2) into.keys.push(keyText(message.latin1(), texts, path));
    else if (message.field === 4) into.instructions.push(readInstruction(message.message(`${path}.message`), 1));
  }
}

function readMeta(meta: ProtobufReader, path: string, texts: KeyTexts): Meta {
  const found: Meta = {
    ...{ failed: false, fee: 0n, before: [], after: [], calls: new Map(), logs: [] },
    ...{ tokensBefore: [], tokensAfter: [], writable: [], readonly: [] },
  };
  while (meta.next()) {
    if (meta.field === 1) found.failed = meta.bytes().length >= 0;
    else if (meta.field === 2) found.fee = meta.bigint();
    else if (meta.field === 3) meta.numbers(found.before);
    else if (meta.field === 4) meta.numbers(found.after);
    else if (meta.field === 5) readCalls(meta.message(`${path}.innerInstructions`), found.calls);
    else if (meta.field === 6) found.logs.push(meta.text());
    else if (meta.field === 7) found.tokensBefore.push(readBalance(meta.message(path), `${path}.preTokenBalances`));
    else if (meta.field === 8) found.tokensAfter.push(readBalance(meta.message(path), `${path}.postTokenBalances`));
    else if (meta.field === 12) found.writable.push(keyText(meta.latin1(), texts, path));
    else if (meta.field === 13) found.readonly.push(keyText(meta.latin1(), texts, path));
  }
  return found;
}

function readCalls(group: ProtobufReader, into: Meta['calls']): void {
  let outer = 0;
  const calls: RawInstruction[] = [];
  while (group.next()) {
    if (group.field === 1) outer = group.number();
    else if (group.field === 2) calls.push(readInstruction(group.message('a call'), 0));
  }
  into.set(outer, into.get(outer)?.concat(calls) ?? calls);
}

/** CompiledInstruction and InnerInstruction: the latter has a depth of its own. */
function readInstruction(instruction: ProtobufReader, depth: number): RawInstruction {
  const found: RawInstruction = { program: 0, accounts: [], data: NO_BYTES, depth };
  while (instruction.next()) {
    if (instruction.field === 1) found.program = instruction.number();
    else if (instruction.field === 2) found.accounts = Array.from(instruction.bytes());
    // A copy: the whole block would stay in memory with it otherwise.
    else if (instruction.field === 3) found.data = Uint8Array.from(instruction.bytes());
    else if (instruction.field === 4) found.depth = instruction.number();
  }
  return found;
}

function readBalance(balance: ProtobufReader, path: string): TokenBalance {
  const found = { account: 0, mint: '', owner: '', decimals: 0 };
  let amount: bigint | null = null;
  while (balance.next()) {
    if (balance.field === 1) found.account = balance.number();
    else if (balance.field === 2) found.mint = balance.text();
    else if (balance.field === 4) found.owner = balance.text();
    else if (balance.field === 3) {
      const shown = balance.message(path);
      while (shown.next()) {
        if (shown.field === 2) found.decimals = shown.number();
        else if (shown.field === 3) amount = readAmount(shown.text());
      }
    }
  }
  if (amount === null || found.mint === '') throw new MalformedTransactionError(path, 'not a token balance');
  return { ...found, amount };
}

function flatten(
  outers: readonly RawInstruction[],
  calls: Meta['calls'],
  keys: readonly string[],
  path: string,
): SolanaInstruction[] {
  for (const outer of calls.keys()) {
    if (outer < outers.length) continue;
    throw new MalformedTransactionError(`${path}.meta.innerInstructions`, 'not the position of an instruction');
  }
  const make = ({ program, accounts, data, depth }: RawInstruction, outer: number, inner: number): SolanaInstruction =>
    new SolanaInstruction(keys[program] ?? '', accounts, data, outer, inner, depth);
  return outers.flatMap((raw, outer) => [
    make(raw, outer, -1),
    ...(calls.get(outer) ?? []).map((call, inner) => make(call, outer, inner)),
  ]);
}

function keyText(key: string, texts: KeyTexts, path: string): string {
  if (key.length !== 32) throw new MalformedTransactionError(path, 'a key that has not 32 bytes');
  return texts.get(key);
}

const NO_BYTES = new Uint8Array(0);
