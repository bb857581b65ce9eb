import { isSigner, isWritable, type WireTransaction } from '#libs/chain/chains/solana/wire-transaction.js';
import { encodeBase58 } from '#libs/core/base58.js';
import { allKeys, type Block, type ChainAccount, type InnerInstructions, type Landed } from './chain-types.js';
import { invalidParams, statusOf, versionUnsupported } from './rpc-errors.js';
import { type Config, choice, configAt, flag, optionalInteger } from './rpc-params.js';
import { isTokenProgram, parsedTokenData } from './token-accounts.js';

/** The shapes in which nodes show accounts, transactions and blocks. */
export type AccountEncoding = 'base58' | 'base64' | 'jsonParsed' | 'binary';
type TransactionEncoding = 'json' | 'jsonParsed' | 'base58' | 'base64';
type Details = 'full' | 'accounts' | 'signatures' | 'none';

export interface AccountView {
  encoding: AccountEncoding;
  slice: { offset: number; length: number } | null;
}

export interface BlockView {
  encoding: TransactionEncoding;
  details: Details;
  rewards: boolean;
  /** Null: the client knows legacy transactions only. */
  maxVersion: number | null;
}

const MAX_BASE58_BYTES = 128;

export function accountView(config: Config, otherwise: AccountEncoding): AccountView {
  const encodings: readonly AccountEncoding[] = ['base58', 'base64', 'jsonParsed', 'binary'];
  const encoding = choice(config.encoding, encodings, otherwise);
  if (config.dataSlice === undefined || config.dataSlice === null) return { encoding, slice: null };
  const slice = configAt([config.dataSlice], 0);
  const offset = optionalInteger(slice.offset) ?? 0;
  return { encoding, slice: { offset, length: optionalInteger(slice.length) ?? 0 } };
}

export function blockView(config: Config): BlockView {
  return {
    encoding: choice(config.encoding, ['json', 'jsonParsed', 'base58', 'base64'], 'json'),
    details: choice(config.transactionDetails, ['full', 'accounts', 'signatures', 'none'], 'full'),
    rewards: flag(config, config.showRewards === undefined ? 'rewards' : 'showRewards', true),
    maxVersion: optionalInteger(config.maxSupportedTransactionVersion),
  };
}

export function showAccount(
  account: ChainAccount,
  { encoding, slice }: AccountView,
  decimalsOf: (mint: string) => number | null,
): object {
  const { lamports, owner, executable, rentEpoch } = account;
  const part = slice ? account.data.subarray(slice.offset, slice.offset + slice.length) : account.data;
  const show = (): unknown => {
    if (encoding === 'jsonParsed' && isTokenProgram(owner)) {
      const parsed = parsedTokenData(owner, account.data, decimalsOf);
      if (parsed) return parsed;
    }
    if (encoding === 'base64' || encoding === 'jsonParsed') return [Buffer.from(part).toString('base64'), 'base64'];
    if (part.length > MAX_BASE58_BYTES) {
      throw invalidParams(
        `Invalid request: Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.`,
      );
    }
    return encoding === 'binary' ? encodeBase58(part) : [encodeBase58(part), 'base58'];
  };
  return { data: show(), executable, lamports, owner, rentEpoch, space: account.data.length };
}

/** A transaction with its meta, as in getTransaction; a version the client does not know is an error. */
export function showTransaction(landed: Landed, view: BlockView): object {
  const { transaction } = landed;
  const { version } = transaction;
  if (version !== 'legacy' && (view.maxVersion ?? -1) < version) throw versionUnsupported(version);
  const shown = view.maxVersion === null ? {} : { version };
  if (view.details === 'accounts') {
    return { transaction: accountList(landed), meta: shortMeta(landed), ...shown };
  }
  return { transaction: bodyOf(landed, view.encoding), meta: showMeta(landed, view.encoding), ...shown };
}

export function showBlock(block: Block, view: BlockView): object {
  const { hash: blockhash, parentHash: previousBlockhash, parentSlot, height: blockHeight, time: blockTime } = block;
  const head = { blockhash, previousBlockhash, parentSlot, blockHeight, blockTime };
  const rewards = view.rewards ? { rewards: [] } : {};
  if (view.details === 'none') return { ...head, ...rewards };
  if (view.details === 'signatures') {
    return { ...head, ...rewards, signatures: block.transactions.map((landed) => landed.transaction.signature) };
  }
  return { ...head, ...rewards, transactions: block.transactions.map((landed) => showTransaction(landed, view)) };
}

export function showInner(inner: readonly InnerInstructions[], keys: readonly string[]): object[] {
  return inner.map(({ index, instructions }) => ({
    index,
    instructions: instructions.map(({ programIdIndex, accounts, data, stackHeight }) => ({
      programId: keys[programIdIndex],
      accounts: accounts.map((at) => keys[at]),
      data,
      stackHeight,
    })),
  }));
}

function showMeta(landed: Landed, encoding: TransactionEncoding): object {
  const { meta } = landed;
  const { returnData, innerInstructions, loadedAddresses, ...rest } = meta;
  const parsed = encoding === 'jsonParsed';
  return {
    ...rest,
    status: statusOf(meta.err),
    rewards: [],
    innerInstructions: parsed ? showInner(innerInstructions, allKeys(landed)) : innerInstructions,
    ...(parsed ? {} : { loadedAddresses }),
    ...(returnData ? { returnData: { programId: returnData.programId, data: [returnData.data, 'base64'] } } : {}),
  };
}

function shortMeta({ meta }: Landed): object {
  const { err, fee, preBalances, postBalances, preTokenBalances, postTokenBalances } = meta;
  return { err, status: statusOf(err), fee, preBalances, postBalances, preTokenBalances, postTokenBalances };
}

function bodyOf(landed: Landed, encoding: TransactionEncoding): unknown {
  const { transaction } = landed;
  if (encoding === 'base64') return [Buffer.from(transaction.wire).toString('base64'), 'base64'];
  if (encoding === 'base58') return [encodeBase58(transaction.wire), 'base58'];
  const signatures = transaction.signatures.map(encodeBase58);
  return { signatures, message: encoding === 'json' ? rawMessage(transaction) : parsedMessage(landed) };
}

function rawMessage({ header, keys, blockhash, instructions, lookups, version, config }: WireTransaction): object {
  const { required, readonlySigned, readonlyUnsigned } = header;
  return {
    accountKeys: keys,
    header: {
      numRequiredSignatures: required,
      numReadonlySignedAccounts: readonlySigned,
      numReadonlyUnsignedAccounts: readonlyUnsigned,
    },
    recentBlockhash: blockhash,
    instructions: instructions.map(({ programIndex, accounts, data }) => ({
      programIdIndex: programIndex,
      accounts: [...accounts],
      data: encodeBase58(data),
      stackHeight: 1,
    })),
    ...(version === 0 ? { addressTableLookups: showLookups(lookups) } : {}),
    ...(version === 1 ? { config: showConfig(config) } : {}),
  };
}

function parsedMessage(landed: Landed): object {
  const { transaction } = landed;
  const keys = allKeys(landed);
  return {
    accountKeys: keysWithRoles(landed),
    recentBlockhash: transaction.blockhash,
    instructions: transaction.instructions.map(({ programIndex, accounts, data }) => ({
      programId: keys[programIndex],
      accounts: [...accounts].map((at) => keys[at]),
      data: encodeBase58(data),
      stackHeight: 1,
    })),
    ...(transaction.version === 0 ? { addressTableLookups: showLookups(transaction.lookups) } : {}),
    ...(transaction.version === 1 ? { config: showConfig(transaction.config) } : {}),
  };
}

function accountList(landed: Landed): object {
  return { accountKeys: keysWithRoles(landed), signatures: landed.transaction.signatures.map(encodeBase58) };
}

function keysWithRoles({ transaction, meta }: Landed): object[] {
  const { writable, readonly } = meta.loadedAddresses;
  const loaded = (pubkey: string, writes: boolean): object => {
    return { pubkey, signer: false, source: 'lookupTable', writable: writes };
  };
  return [
    ...transaction.keys.map((pubkey, index) => ({
      pubkey,
      signer: isSigner(transaction, index),
      source: 'transaction',
      writable: isWritable(transaction, index),
    })),
    ...writable.map((pubkey) => loaded(pubkey, true)),
    ...readonly.map((pubkey) => loaded(pubkey, false)),
  ];
}

function showLookups(lookups: WireTransaction['lookups']): object[] {
  return lookups.map(({ table, writable, readonly }) => ({
    accountKey: table,
    writableIndexes: [...writable],
    readonlyIndexes: [...readonly],
  }));
}

function showConfig(config: WireTransaction['config']): object {
  const {
    priorityFee = null,
    computeUnitLimit = null,
    loadedAccountsDataSizeLimit = null,
    heapSize = null,
  } = config ?? {};
  return { priorityFeeLamports: priorityFee, computeUnitLimit, loadedAccountsDataSizeLimit, heapSize };
}
