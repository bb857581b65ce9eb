import {
  readMessage,
  readTransaction,
  WireError,
  type WireTransaction,
  withBlockhash,
} from '#libs/chain/chains/solana/wire-transaction.js';
import { decodeBase58 } from '#libs/core/base58.js';
import { addressBytes } from './address-bytes.js';
import { BLOCKHASH_AGE } from './chain.js';
import type { Landed } from './chain-types.js';
import { feeOf } from './fees.js';
import { blockConfig } from './rpc-blocks.js';
import type { Methods, RpcContext } from './rpc-context.js';
import { invalidParams, preflightFailed, signatureFailed, statusOf } from './rpc-errors.js';
import {
  addressAt,
  asAddress,
  asSignature,
  type Config,
  choice,
  configAt,
  flag,
  integerAt,
  listAt,
  optionalInteger,
  settledCommitment,
  textAt,
} from './rpc-params.js';
import { accountView, blockView, showAccount, showInner, showTransaction } from './rpc-views.js';
import type { Simulation } from './svm.js';
import { errorSentence } from './svm-errors.js';

/**
 * Methods about transactions. Simulation and preflight run on the newest block whatever commitment is named; a sent
 * transaction waits for the next block.
 */
const MAX_STATUSES = 256;
const MAX_SIGNATURES = 1000;

export function transactionMethods(rpc: RpcContext): Methods {
  const { chain } = rpc;
  const { ledger } = chain;

  const confirmationOf = (slot: number): string => {
    if (slot <= ledger.root.slot) return 'finalized';
    return slot <= ledger.at('confirmed').slot ? 'confirmed' : 'processed';
  };

  const simulate = (transaction: WireTransaction, sigVerify: boolean, checkBlockhash: boolean): Simulation => {
    const failed = (err: string): Simulation => {
      const nothing = { logs: [], unitsConsumed: 0, returnData: null, innerInstructions: [], accounts: null };
      return { err, keys: [...transaction.keys], ...nothing };
    };
    if (checkBlockhash && !chain.isBlockhashValid(transaction.blockhash, ledger.tip.height + 1)) {
      return failed('BlockhashNotFound');
    }
    if (checkBlockhash && ledger.bySignature(transaction.signature)) return failed('AlreadyProcessed');
    return chain.state.simulate(transaction, sigVerify);
  };

  const result = (run: Simulation): object => ({
    err: run.err,
    logs: run.logs,
    accounts: null,
    unitsConsumed: run.unitsConsumed,
    returnData: run.returnData && { programId: run.returnData.programId, data: [run.returnData.data, 'base64'] },
    innerInstructions: null,
  });

  const settled = (landed: Landed | undefined, config: Config): Landed | null =>
    landed && landed.slot <= ledger.at(settledCommitment(config)).slot ? landed : null;

  return {
    sendTransaction: (params) => {
      const config = configAt(params, 1);
      const transaction = wireAt(textAt(params, 0, 'a string'), config);
      optionalInteger(config.maxRetries);
      choice(config.preflightCommitment, ['processed', 'confirmed', 'finalized'], 'finalized');
      rpc.block(config, 'processed');
      if (!flag(config, 'skipPreflight')) {
        const run = simulate(transaction, true, true);
        if (run.err === 'SignatureFailure') throw signatureFailed();
        if (run.err !== null) throw preflightFailed(errorSentence(run.err), result(run));
      }
      chain.submit(transaction);
      return transaction.signature;
    },

    simulateTransaction: (params) => {
      const config = configAt(params, 1);
      const sigVerify = flag(config, 'sigVerify');
      const replace = flag(config, 'replaceRecentBlockhash');
      if (sigVerify && replace) throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
      let transaction = wireAt(textAt(params, 0, 'a string'), config);
      const wanted = accountsOf(config);
      rpc.block(config);
      const { tip } = ledger;
      if (replace) transaction = withBlockhash(transaction, addressBytes(tip.hash));
      const run = simulate(transaction, sigVerify, !replace);
      if (run.err === 'SignatureFailure' && sigVerify) throw signatureFailed();
      const replacement = { blockhash: tip.hash, lastValidBlockHeight: tip.height + BLOCKHASH_AGE };
      const shown = wanted?.addresses.map((address) => {
        if (!run.accounts) return null;
        const account = run.accounts.get(address) ?? chain.state.account(address);
        const exists = account !== null && account.lamports > 0n;
        return exists ? showAccount(account, wanted.view, (mint) => chain.decimalsOf(mint)) : null;
      });
      return rpc.answer(tip, {
        ...result(run),
        accounts: shown ?? null,
        innerInstructions: flag(config, 'innerInstructions') ? showInner(run.innerInstructions, run.keys) : null,
        ...(replace ? { replacementBlockhash: replacement } : {}),
      });
    },

    requestAirdrop: (params) => {
      const to = addressAt(params, 0);
      const lamports = integerAt(params, 1);
      rpc.block(configAt(params, 2), 'processed');
      const transaction = readTransaction(chain.faucet.transfer(to, BigInt(lamports), ledger.tip.hash));
      chain.submit(transaction);
      return transaction.signature;
    },

    getFeeForMessage: (params) => {
      const bytes = base64Bytes(textAt(params, 0, 'a string'));
      const block = rpc.block(configAt(params, 1));
      const message = strictly(() => readMessage(bytes));
      const known = chain.isBlockhashValid(message.blockhash, block.height);
      return rpc.answer(block, known ? feeOf(message) : null);
    },

    getTransaction: (params) => {
      const signature = asSignature(params[0]);
      const config = blockConfig(params, 1);
      const landed = settled(ledger.bySignature(signature), config);
      if (!landed) return null;
      const view = { ...blockView(config), details: 'full' as const };
      return { slot: landed.slot, blockTime: landed.blockTime, ...showTransaction(landed, view) };
    },

    getSignatureStatuses: (params) => {
      const signatures = listAt(params, 0, MAX_STATUSES, 'signatures').map(asSignature);
      flag(configAt(params, 1), 'searchTransactionHistory');
      const { tip } = ledger;
      const statuses = signatures.map((signature) => {
        const landed = ledger.bySignature(signature);
        if (!landed) return null;
        const { slot, meta } = landed;
        const confirmationStatus = confirmationOf(slot);
        const height = ledger.atSlot(slot)?.height ?? 0;
        const confirmations = confirmationStatus === 'finalized' ? null : tip.height - height;
        return { slot, confirmations, err: meta.err, status: statusOf(meta.err), confirmationStatus };
      });
      return rpc.answer(tip, statuses);
    },

    getSignaturesForAddress: (params) => {
      const address = addressAt(params, 0);
      const config = configAt(params, 1);
      const limit = optionalInteger(config.limit) ?? MAX_SIGNATURES;
      if (limit < 1 || limit > MAX_SIGNATURES) throw invalidParams(`Invalid limit; max ${MAX_SIGNATURES}`);
      const level = ledger.at(settledCommitment(config));
      rpc.block(config, settledCommitment(config));
      const before = config.before === undefined || config.before === null ? null : asSignature(config.before);
      const until = config.until === undefined || config.until === null ? null : asSignature(config.until);
      const found = page(ledger.byAddress(address), level.slot, before, until, limit);
      return found.map(({ transaction, slot, meta, blockTime }) => {
        const confirmationStatus = confirmationOf(slot);
        return { signature: transaction.signature, slot, err: meta.err, memo: null, blockTime, confirmationStatus };
      });
    },
  };

  /** Newest first, the signatures between two others, which are left out; either may be of another address. */
  function page(
    list: readonly Landed[],
    newest: number,
    before: string | null,
    until: string | null,
    limit: number,
  ): Landed[] {
    const upper = before === null ? null : ledger.bySignature(before);
    const lower = until === null ? null : ledger.bySignature(until);
    const found: Landed[] = [];
    if (upper === undefined) return found;
    for (let i = list.length - 1; i >= 0 && found.length < limit; i--) {
      const landed = list[i] as Landed;
      if (landed.slot > newest || (upper && !isOlder(landed, upper))) continue;
      if (lower && !isOlder(lower, landed)) break;
      found.push(landed);
    }
    return found;
  }

  function isOlder(a: Landed, b: Landed): boolean {
    if (a.slot !== b.slot) return a.slot < b.slot;
    const transactions = ledger.atSlot(a.slot)?.transactions ?? [];
    return transactions.indexOf(a) < transactions.indexOf(b);
  }
}

export function wireAt(text: string, config: Config): WireTransaction {
  const encoding = choice(config.encoding, ['base58', 'base64'], 'base58');
  const bytes = encoding === 'base64' ? base64Bytes(text) : decodeBase58(text.slice(0, 8192));
  if (bytes === null) throw invalidParams('invalid base58 encoding');
  return strictly(() => readTransaction(bytes));
}

function strictly(read: () => WireTransaction): WireTransaction {
  try {
    return read();
  } catch (error) {
    if (error instanceof WireError) throw invalidParams(`invalid transaction: ${error.message}`);
    throw error;
  }
}

function base64Bytes(text: string): Uint8Array {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw invalidParams('invalid base64 encoding');
  return new Uint8Array(Buffer.from(text, 'base64'));
}

function accountsOf(config: Config): { addresses: string[]; view: ReturnType<typeof accountView> } | null {
  if (config.accounts === undefined || config.accounts === null) return null;
  const accounts = configAt([config.accounts], 0);
  const view = accountView(accounts, 'base64');
  if (view.encoding === 'base58' || view.encoding === 'binary') throw invalidParams('base58 encoding not supported');
  return { addresses: listAt([accounts.addresses], 0, 64, 'accounts').map(asAddress), view };
}
