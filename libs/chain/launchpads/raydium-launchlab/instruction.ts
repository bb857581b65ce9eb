import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';
import { deriveAddress } from '#libs/chain/chains/solana/derive.js';
import { DerivedAddresses } from '#libs/chain/chains/solana/derived-addresses.js';
import { SYSTEM_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { poolSwaps } from '#libs/chain/market-ports/solana/account-pools.js';
import {
  eventAuthority,
  inOrder,
  pays,
  reads,
  swapData,
  tokenProgramsOf,
  writes,
} from '#libs/chain/market-ports/solana/swap-call.js';
import { decodeBase58 } from '#libs/core/base58.js';
import type { LaunchlabPool } from './account.js';
import { raydiumLaunchlabCurves } from './quote.js';

const { program } = raydiumLaunchlabCurves;
const AUTHORITY = deriveAddress(program, [Buffer.from('vault_auth_seed')]);
const EVENT_AUTHORITY = eventAuthority(program);
const SELL = { in: bytesOfHex('9527de9bd37c981a'), out: bytesOfHex('5fc8472208090ba6') };
const BUY = { in: bytesOfHex('faea0d7bd59c13ec'), out: bytesOfHex('18d3742869039938') };
/** The rate of a fee for an account that the trader names. */
const NO_SHARE = new Uint8Array(8);
const TOKEN_BYTES = 165;
const collected = new DerivedAddresses(program, null);

/**
 * buy_exact_in, buy_exact_out, sell_exact_in and sell_exact_out, which share one list of accounts; the exact amount comes first. The
 * fees of the platform and of the creator go to token accounts that the first trade makes, for the trader's rent.
 */
export const raydiumLaunchlabSwaps = poolSwaps(raydiumLaunchlabCurves, {
  needs: ({ baseMint, quoteMint }) => [baseMint, quoteMint],
  write(pool, order, { known }) {
    const programs = tokenProgramsOf(known, pool.baseMint, pool.quoteMint);
    if (programs === null) return null;
    const { aToB, exact, amount, limit } = order;
    const [ownBase, ownQuote] = inOrder(aToB, order.inputAccount, order.outputAccount);
    return {
      accounts: [
        ...[pays(order.trader), reads(AUTHORITY), reads(pool.config), reads(pool.platform), writes(order.pool)],
        ...[ownBase, ownQuote, pool.baseVault, pool.quoteVault].map(writes),
        ...[pool.baseMint, pool.quoteMint, ...programs, EVENT_AUTHORITY, program, SYSTEM_PROGRAM].map(reads),
        ...feeAccounts(pool).map(writes),
      ],
      data: swapData((aToB ? SELL : BUY)[exact], amount, limit, NO_SHARE),
    };
  },
  deposits(address, _, known) {
    const pool = raydiumLaunchlabCurves.poolAt(address, known);
    return pool === null ? [] : feeAccounts(pool).map((account) => ({ address: account, bytes: TOKEN_BYTES }));
  },
});

/** What platform and creator have earned in a quote token, on all their pools. */
const feeAccounts = ({ platform, creator, quoteMint }: LaunchlabPool): string[] =>
  [platform, creator].map((owner) => collected.of(owner, decodeBase58(quoteMint)!));
