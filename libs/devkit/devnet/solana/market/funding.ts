import { TidepoolError } from '#libs/core/errors.js';
import type { Hex } from '#libs/core/ids.js';
import { type Instruction, WRAPPED_MINT } from '#programs/client.js';
import { base58, type MarketListing } from './market-listing.js';
import { associated, createAssociated, syncNative, transferLamports, transferTokens } from './token-calls.js';

/**
 * Coins and tokens for a wallet, from the account that made the market: by transactions, so that a reader of the chain
 * sees where they came from.
 */
export interface Funding {
  lamports?: bigint;
  /** Base58 mints of the market's own tokens; wrapped SOL is wrapped for the wallet. */
  tokens?: readonly { mint: string; amount: bigint }[];
}

const TOKENS_PER_TRANSACTION = 5;

/** Instructions of each transaction. */
export function fundingInstructions(
  { deployer, tokens }: MarketListing,
  wallet: Hex,
  { lamports = 0n, tokens: asked = [] }: Funding,
): Instruction[][] {
  const given = asked.map(({ mint, amount }): Instruction[] => {
    const token = tokens.find(({ id }) => base58(id) === mint);
    if (!token) throw new TidepoolError('devnet_market', `tokens: ${mint} is no token that the market's maker holds`);
    const account = associated(wallet, token);
    const create = createAssociated(deployer.id, wallet, token);
    return token.id === WRAPPED_MINT
      ? [create, transferLamports(deployer.id, account, amount), syncNative(account)]
      : [create, transferTokens(token, associated(deployer.id, token), account, deployer.id, amount)];
  });
  const groups: Instruction[][] = lamports > 0n ? [[transferLamports(deployer.id, wallet, lamports)]] : [];
  for (let at = 0; at < given.length; at += TOKENS_PER_TRANSACTION) {
    groups.push(given.slice(at, at + TOKENS_PER_TRANSACTION).flat());
  }
  return groups;
}
