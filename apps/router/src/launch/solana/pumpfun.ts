import type { SolanaAccount } from '#libs/chains/solana/accounts.js';
import { solanaIds } from '#libs/chains/solana/ids.js';
import type { SolanaEndpoint } from '#libs/chains/solana/rpc/endpoint.js';
import { badRequest } from '#libs/http/problem.js';
import { associatedId, createAssociatedAccount } from '#programs/client.js';
import { insufficientFunds, simulationFailed } from '../launch-problem.js';
import type { BuiltLaunch, CreateOrder, SolanaLaunchBuilder } from '../ports.js';
import { BLOCKHASH_MS, type TriedCreate, tryCreate } from './create-build.js';
import { newMintKey } from './mint-key.js';
import { buyExactSolIn, createV2, curveOf, TOKEN_2022 } from './pumpfun-instructions.js';
import { readForCreate } from './reading.js';

const BPS = 10_000n;
/** Of a token account, where the amount is. */
const AMOUNT_AT = 64;

/** pump.fun: one transaction makes the mint and its curve, and buys. What it costs is what its simulation takes. */
export const solanaPumpFun: SolanaLaunchBuilder = { platform: 'pumpfun', build };

async function build(endpoint: SolanaEndpoint, order: CreateOrder, signal: AbortSignal): Promise<BuiltLaunch> {
  const { creator, initialBuy, slippageBps, name, symbol, uri } = order;
  const mint = order.mint === null ? newMintKey() : { id: order.mint, secretKey: null };
  const { accounts, blockhash } = await readForCreate(endpoint, [creator, mint.id], [], signal);
  if (accounts.get(mint.id) !== null) throw badRequest('mint must be the address of an account that is not there yet');
  const lamports = accounts.get(creator)?.lamports ?? 0n;
  if (lamports <= initialBuy)
    throw insufficientFunds(`the creator has ${lamports} lamports and needs more than ${initialBuy}`);
  const tokens = associatedId(creator, mint.id, TOKEN_2022);
  const buys = initialBuy > 0n;
  const create = createV2({ mint: mint.id, creator, name, symbol, uri });
  const attempt = (leastTokens: bigint): Promise<TriedCreate> => {
    const buy = { mint: mint.id, creator, user: creator, lamports: initialBuy, leastTokens };
    const bought = buys ? [createAssociatedAccount(creator, creator, mint.id, TOKEN_2022), buyExactSolIn(buy)] : [];
    return tryCreate(endpoint, creator, [create, ...bought], blockhash, signal, [creator, tokens]);
  };
  // A floor of nothing is no bound that every program takes.
  let tried = await attempt(1n);
  const bought = buys ? amountIn(tried.run.accounts[1] ?? null) : 0n;
  const floor = (bought * (BPS - BigInt(slippageBps))) / BPS;
  if (floor > 1n) tried = await attempt(floor);
  const { networkFee, run, transaction } = tried;
  const spent = lamports - (run.accounts[0]?.lamports ?? 0n);
  const rent = spent > initialBuy + networkFee ? spent - initialBuy - networkFee : 0n;
  const address = solanaIds.formatAddress(mint.id);
  return {
    ...{ address, curve: solanaIds.formatAddress(curveOf(mint.id)), transactions: [transaction] },
    signers: [
      { address: solanaIds.formatAddress(creator), secretKey: null },
      { address, secretKey: mint.secretKey },
    ],
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
  if (account === null || account.data.length < AMOUNT_AT + 8) throw simulationFailed('the curve gave no tokens');
  return Buffer.from(account.data).readBigUInt64LE(AMOUNT_AT);
}
