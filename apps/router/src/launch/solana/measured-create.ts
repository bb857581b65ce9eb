import type { SolanaAccount } from '#libs/chain/chains/solana/accounts.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { SolanaEndpoint } from '#libs/chain/chains/solana/rpc/endpoint.js';
import type { Hex } from '#libs/core/ids.js';
import { badRequest } from '#libs/serve/http/problem.js';
import type { Instruction } from '#programs/client.js';
import { createSimulationFailed, insufficientFunds } from '../launch-problem.js';
import type { BuiltLaunch, CreateOrder } from '../ports.js';
import { BLOCKHASH_MS, type TriedCreate, tryCreate } from './create-build.js';
import { type MintKey, newMintKey } from './mint-key.js';
import { readForCreate } from './reading.js';
import { coinsOf } from './wrapped-buy.js';

const BPS = 10_000n;
/** Of a token account, where the amount is. */
const AMOUNT_AT = 64;

export interface MeasuredPlan {
  readonly curve: Hex;
  /** The creator's account of the token. */
  readonly tokens: Hex;
  /** Signers other than the creator, in the order in which the instructions name them; the mint is one. */
  readonly keys: readonly MintKey[];
  /** Creation, and the first buy where there is one, which fails below `leastTokens`. */
  instructions(leastTokens: bigint): readonly Instruction[];
}

/** What is known before a plan is made. */
export interface PlanState {
  readonly mint: MintKey;
  /** The creator has an account of wrapped coins. */
  readonly keepsCoins: boolean;
  /** Those that were wanted; null for one that is not there. */
  readonly accounts: ReadonlyMap<Hex, SolanaAccount | null>;
}

/**
 * One transaction that makes a token on another's launchpad, and buys. Invariant: fees, deposits and what the buy gives are what
 * the simulation at the head takes and gives; nothing of the launchpad's mathematics is repeated here.
 */
export async function measuredCreate(
  endpoint: SolanaEndpoint,
  order: CreateOrder,
  signal: AbortSignal,
  plan: (order: CreateOrder, state: PlanState) => MeasuredPlan,
  wanted: readonly Hex[] = [],
): Promise<BuiltLaunch> {
  const { creator, initialBuy, slippageBps } = order;
  const mint = order.mint === null ? newMintKey() : { id: order.mint, secretKey: null };
  const coins = coinsOf(creator);
  const { accounts, blockhash } = await readForCreate(endpoint, [creator, mint.id, coins, ...wanted], [], signal);
  if (accounts.get(mint.id) !== null) throw badRequest('mint must be the address of an account that is not there yet');
  const lamports = accounts.get(creator)?.lamports ?? 0n;
  if (lamports <= initialBuy)
    throw insufficientFunds(`the creator has ${lamports} lamports and needs more than ${initialBuy}`);
  const state = { mint, keepsCoins: accounts.get(coins) !== null, accounts };
  const { curve, tokens, keys, instructions } = plan(order, state);
  const buys = initialBuy > 0n;
  const attempt = (leastTokens: bigint): Promise<TriedCreate> =>
    tryCreate(endpoint, creator, instructions(leastTokens), blockhash, signal, [creator, tokens]);
  // A floor of nothing is no bound that every program takes.
  let tried = await attempt(1n);
  const bought = buys ? amountIn(tried.run.accounts[1] ?? null) : 0n;
  const floor = (bought * (BPS - BigInt(slippageBps))) / BPS;
  if (floor > 1n) tried = await attempt(floor);
  const { networkFee, run, transaction, signers } = tried;
  const secrets = new Map(keys.map(({ id, secretKey }) => [id, secretKey]));
  const spent = lamports - (run.accounts[0]?.lamports ?? 0n);
  const rent = spent > initialBuy + networkFee ? spent - initialBuy - networkFee : 0n;
  return {
    ...{ address: solanaIds.formatAddress(mint.id), curve: solanaIds.formatAddress(curve) },
    transactions: [transaction],
    signers: signers.map((id) => ({ address: solanaIds.formatAddress(id), secretKey: secrets.get(id) ?? null })),
    expiresAt: new Date(Date.now() + BLOCKHASH_MS).toISOString(),
    buy: buys ? { inAmount: String(initialBuy), outAmount: String(bought), minOutAmount: String(floor) } : null,
    cost: {
      ...{ networkFee: String(networkFee), rent: String(rent), initialBuy: String(initialBuy) },
      total: String(networkFee + rent + initialBuy),
    },
    simulation: { block: String(run.slot), used: String(run.units) },
  };
}

function amountIn(account: SolanaAccount | null): bigint {
  if (account === null || account.data.length < AMOUNT_AT + 8) throw createSimulationFailed('the curve gave no tokens');
  return Buffer.from(account.data).readBigUInt64LE(AMOUNT_AT);
}
