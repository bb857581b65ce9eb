import { bytesOfHex } from '#libs/chain/chains/solana/bytes.js';
import { deriveAddress } from '#libs/chain/chains/solana/derive.js';
import { tokenProgramOf } from '#libs/chain/chains/solana/token-account.js';
import {
  EVENT_AUTHORITY_SEED,
  INSTRUCTIONS_SYSVAR,
  reads,
  signs,
  swapData,
  writes,
} from '#libs/chain/market-ports/solana/swap-call.js';
import type { SolanaSwapInstructions } from '#libs/chain/market-ports/solana/swap-instructions.js';
import { hasHook, readDbcConfig, readDbcPool } from './account.js';
import { meteoraDbc } from './decode.js';

const { program } = meteoraDbc;
const AUTHORITY = deriveAddress(program, [Buffer.from('pool_authority')]);
const EVENT_AUTHORITY = deriveAddress(program, [EVENT_AUTHORITY_SEED]);
const SWAP2 = bytesOfHex('414b3f4ceb5b5b88');
const EXACT_IN = Uint8Array.of(0);
const EXACT_OUT = Uint8Array.of(2);
const RATE_LIMITER = 2;

/** swap2: the mode says which of the two amounts is exact, which always comes first. No referral, no token with a hook. */
export const meteoraDbcSwaps: SolanaSwapInstructions = {
  needs(address, known) {
    const found = poolAt(address, known);
    return found === null ? [] : [found.pool.baseMint, found.config.quoteMint];
  },
  write(order, known) {
    const found = poolAt(order.pool, known);
    if (found === null) return null;
    const { pool, config } = found;
    const [base, quote] = [pool.baseMint, config.quoteMint].map((mint) => tokenProgramOf(known, mint));
    if (!base || !quote) return null;
    return {
      program,
      accounts: [
        ...[reads(AUTHORITY), reads(pool.config), writes(order.pool)],
        ...[writes(order.inputAccount), writes(order.outputAccount), writes(pool.baseVault), writes(pool.quoteVault)],
        ...[reads(pool.baseMint), reads(config.quoteMint), signs(order.trader), reads(base), reads(quote)],
        ...[reads(program), reads(EVENT_AUTHORITY), reads(program)],
        // The limiter lets a transaction swap a pool once: it looks at the other instructions.
        ...(config.baseFeeMode === RATE_LIMITER ? [reads(INSTRUCTIONS_SYSVAR)] : []),
      ],
      data: swapData(SWAP2, order.amount, order.limit, order.exact === 'in' ? EXACT_IN : EXACT_OUT),
    };
  },
};

function poolAt(address: string, known: Parameters<SolanaSwapInstructions['needs']>[1]) {
  const account = known.get(address);
  const pool = account?.owner === program && !hasHook(account.data) ? readDbcPool(account.data) : null;
  const settings = pool === null ? null : known.get(pool.config);
  const config = settings?.owner === program ? readDbcConfig(settings.data) : null;
  return pool === null || config === null ? null : { pool, config };
}
