import { decodeBase58 } from '#libs/core/base58.js';
import type { Block, ChainAccount } from './chain-types.js';
import type { Methods, RpcContext } from './rpc-context.js';
import { invalidParams } from './rpc-errors.js';
import {
  addressAt,
  asAddress,
  asInteger,
  type Config,
  configAt,
  flag,
  integerAt,
  listAt,
  type Params,
} from './rpc-params.js';
import { accountView, showAccount } from './rpc-views.js';
import {
  isTokenProgram,
  readMint,
  readTokenAccount,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM_TEXT,
  uiTokenAmount,
} from './token-accounts.js';

/** Methods about accounts. Each reads the accounts as they were after the block its commitment means. */
const MAX_ACCOUNTS = 100;
const MAX_DATA_BYTES = 10 * 1024 * 1024;
const MAX_FILTERS = 4;

export type Filter = (data: Uint8Array) => boolean;

export function accountMethods(rpc: RpcContext): Methods {
  const { chain } = rpc;
  const decimalsOf = (mint: string): number | null => chain.decimalsOf(mint);
  const show = (account: ChainAccount | null, view: ReturnType<typeof accountView>): object | null =>
    account && showAccount(account, view, decimalsOf);

  const keyed = (accounts: Map<string, ChainAccount>, config: Config, filter: Filter): object[] => {
    const view = accountView(config, 'base58');
    return [...accounts]
      .filter(([, account]) => filter(account.data))
      .map(([pubkey, account]) => ({ pubkey, account: show(account, view) }));
  };

  const tokenAccounts = (params: Params, role: 'owner' | 'delegate'): object => {
    const holder = addressAt(params, 0);
    const which = configAt(params, 1);
    const config = configAt(params, 2);
    const block = rpc.block(config);
    if ((which.mint === undefined) === (which.programId === undefined)) {
      throw invalidParams('one of `mint` and `programId` is needed.');
    }
    const mint = which.mint === undefined ? null : asAddress(which.mint);
    if (mint !== null && !mintAt(block, mint)) throw invalidParams('Invalid param: could not find mint');
    const program = which.programId === undefined ? null : asAddress(which.programId);
    if (program !== null && !isTokenProgram(program))
      throw invalidParams('Invalid param: unrecognized Token program id');
    const programs = program === null ? [TOKEN_PROGRAM_TEXT, TOKEN_2022_PROGRAM] : [program];
    const filter: Filter = (data) => {
      const token = readTokenAccount(data);
      return token?.[role] === holder && (mint === null || token.mint === mint);
    };
    const found = programs.flatMap((owner) => keyed(chain.programAccountsAt(block, owner), config, filter));
    return rpc.answer(block, found);
  };

  const mintAt = (block: Block, address: string): ReturnType<typeof readMint> => {
    const account = chain.accountAt(block, address);
    return account && isTokenProgram(account.owner) ? readMint(account.data) : null;
  };

  return {
    getAccountInfo: (params) => {
      const address = addressAt(params, 0);
      const config = configAt(params, 1);
      const block = rpc.block(config);
      return rpc.answer(block, show(chain.accountAt(block, address), accountView(config, 'binary')));
    },
    getMultipleAccounts: (params) => {
      const addresses = listAt(params, 0, MAX_ACCOUNTS, 'accounts').map(asAddress);
      const config = configAt(params, 1);
      const block = rpc.block(config);
      const view = accountView(config, 'base64');
      return rpc.answer(
        block,
        addresses.map((address) => show(chain.accountAt(block, address), view)),
      );
    },
    getProgramAccounts: (params) => {
      const program = addressAt(params, 0);
      const config = configAt(params, 1);
      const block = rpc.block(config);
      const found = keyed(chain.programAccountsAt(block, program), config, filterOf(config.filters));
      return flag(config, 'withContext') ? rpc.answer(block, found) : found;
    },
    getBalance: (params) => {
      const address = addressAt(params, 0);
      const block = rpc.block(configAt(params, 1));
      return rpc.answer(block, chain.accountAt(block, address)?.lamports ?? 0n);
    },
    getTokenAccountBalance: (params) => {
      const address = addressAt(params, 0);
      const block = rpc.block(configAt(params, 1));
      const account = chain.accountAt(block, address);
      if (!account) throw invalidParams('Invalid param: could not find account');
      const token = isTokenProgram(account.owner) ? readTokenAccount(account.data) : null;
      const mint = token && mintAt(block, token.mint);
      if (!token || !mint) throw invalidParams('Invalid param: not a Token account');
      return rpc.answer(block, uiTokenAmount(token.amount, mint.decimals));
    },
    getTokenSupply: (params) => {
      const address = addressAt(params, 0);
      const block = rpc.block(configAt(params, 1));
      const mint = mintAt(block, address);
      if (!mint) throw invalidParams('Invalid param: not a Token mint');
      return rpc.answer(block, uiTokenAmount(mint.supply, mint.decimals));
    },
    getTokenAccountsByOwner: (params) => tokenAccounts(params, 'owner'),
    getTokenAccountsByDelegate: (params) => tokenAccounts(params, 'delegate'),
    getMinimumBalanceForRentExemption: (params) => {
      const bytes = integerAt(params, 0);
      if (bytes > MAX_DATA_BYTES) throw invalidParams(`an account holds at most ${MAX_DATA_BYTES} bytes.`);
      return chain.state.rentExemption(bytes);
    },
  };
}

/** The filters of getProgramAccounts and programSubscribe as one test. */
export function filterOf(value: unknown): Filter {
  if (value === undefined || value === null) return () => true;
  const tests = listAt([value], 0, MAX_FILTERS, 'filters').map(oneFilter);
  return (data) => tests.every((test) => test(data));
}

function oneFilter(value: unknown): Filter {
  if (value === 'tokenAccountState') return (data) => readTokenAccount(data) !== null;
  const filter = configAt([value], 0);
  if (filter.dataSize !== undefined) {
    const size = asInteger(filter.dataSize);
    return (data) => data.length === size;
  }
  if (filter.memcmp === undefined) throw invalidParams('a filter is `dataSize`, `memcmp` or `tokenAccountState`.');
  const memcmp = configAt([filter.memcmp], 0);
  const offset = asInteger(memcmp.offset ?? 0);
  const bytes = memcmpBytes(memcmp);
  return (data) => Buffer.compare(data.subarray(offset, offset + bytes.length), bytes) === 0;
}

function memcmpBytes({ bytes, encoding }: Config): Uint8Array {
  if (typeof bytes !== 'string') throw invalidParams('`bytes` of memcmp is not a text.');
  const found = encoding === 'base64' ? new Uint8Array(Buffer.from(bytes, 'base64')) : decodeBase58(bytes);
  if (found === null) throw invalidParams(`Invalid param: \`bytes\` of memcmp is not base58`);
  if (found.length > 128) throw invalidParams('Invalid param: `bytes` of memcmp is longer than 128 bytes');
  return found;
}
