import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { loggedData } from '#libs/chain/chains/solana/logged-data.js';
import type { SolanaEndpoint } from '#libs/chain/chains/solana/rpc/endpoint.js';
import { TIDEPOOL_LAUNCHPAD } from '#libs/chain/chains/solana/tidepool-programs.js';
import type { Hex } from '#libs/core/ids.js';
import { badRequest } from '#libs/serve/http/problem.js';
import {
  associatedId,
  createCurve,
  curveAccounts,
  curveKeys,
  type Instruction,
  idOf,
  readLaunchEvent,
  swapExactIn,
  WRAPPED_MINT,
} from '#programs/client.js';
import type { Simulated } from '../../solana/swap/chain-reads.js';
import { createSimulationFailed, insufficientFunds } from '../launch-problem.js';
import type { BuiltLaunch, CreateOrder, SolanaLaunchBuilder } from '../ports.js';
import { BLOCKHASH_MS, type TriedCreate, tryCreate } from './create-build.js';
import { newMintKey } from './mint-key.js';
import { type CreateReading, readForCreate } from './reading.js';
import { coinsOf, wrappedBuy } from './wrapped-buy.js';

const PROGRAM = idOf(TIDEPOOL_LAUNCHPAD);
/** The terms of every curve that is made here: it starts at 30 SOL for all, and raises 85. */
const TERMS = { virtualQuote: 30_000_000_000n, feeBps: 100, poolFeeBps: 25 };
/** Bytes of a mint, of a curve, of a token account: what deposits are paid for. */
const SIZES = [82, 456, 165];
const BPS = 10_000n;
const SIGNATURES = 10_000n;

/** Tidepool's own launchpad: one transaction makes the mint and its curve, and buys. */
export const solanaTidepool: SolanaLaunchBuilder = { platform: 'tidepool', build };

async function build(endpoint: SolanaEndpoint, order: CreateOrder, signal: AbortSignal): Promise<BuiltLaunch> {
  const { creator, initialBuy, slippageBps } = order;
  const mint = order.mint === null ? newMintKey() : { id: order.mint, secretKey: null };
  const curve = curveKeys(PROGRAM, mint.id, WRAPPED_MINT);
  const coins = coinsOf(creator);
  const reading = await readForCreate(endpoint, [creator, mint.id, coins], SIZES, signal);
  if (reading.accounts.get(mint.id) !== null)
    throw badRequest('mint must be the address of an account that is not there yet');
  const buys = initialBuy > 0n;
  const held = reading.accounts.get(coins) ?? null;
  const rent = depositsOf(reading, buys);
  requireFunds(reading, creator, rent, buys && held === null ? reading.rents[2]! : 0n, initialBuy);
  const texts = { name: order.name, symbol: order.symbol, uri: order.uri };
  const create = createCurve(PROGRAM, curve, { creator, ...TERMS, ...texts });
  const attempt = (floor: bigint): Promise<TriedCreate> => {
    const buy = buys ? firstBuy(order, mint.id, floor, held !== null) : [];
    return tryCreate(endpoint, creator, [create, ...buy], reading.blockhash, signal);
  };
  let tried = await attempt(0n);
  const { input, output: bought } = buys ? boughtIn(tried.run) : { input: 0n, output: 0n };
  const floor = (bought * (BPS - BigInt(slippageBps))) / BPS;
  if (floor > 0n) tried = await attempt(floor);
  const address = solanaIds.formatAddress(mint.id);
  const { networkFee, run, transaction } = tried;
  return {
    ...{ address, curve: solanaIds.formatAddress(curve.id), transactions: [transaction] },
    signers: [
      { address: solanaIds.formatAddress(creator), secretKey: null },
      { address, secretKey: mint.secretKey },
    ],
    expiresAt: new Date(Date.now() + BLOCKHASH_MS).toISOString(),
    buy: buys ? { inAmount: String(input), outAmount: String(bought), minOutAmount: String(floor) } : null,
    cost: {
      ...{ networkFee: String(networkFee), rent: String(rent), initialBuy: String(initialBuy) },
      total: String(networkFee + rent + initialBuy),
    },
    simulation: { block: String(run.slot), used: String(run.units) },
  };
}

/** Of the accounts that are made and stay: mint, curve, two vaults, and the creator's account of the token. */
function depositsOf({ rents }: CreateReading, buys: boolean): bigint {
  const [mint, curve, token] = rents as [bigint, bigint, bigint];
  return mint + curve + token * (buys ? 3n : 2n);
}

/** `passing`: the deposit of an account that is closed again at the end. */
function requireFunds(
  { accounts }: CreateReading,
  creator: Hex,
  rent: bigint,
  passing: bigint,
  initialBuy: bigint,
): void {
  const lamports = accounts.get(creator)?.lamports ?? 0n;
  const needed = SIGNATURES + rent + passing + initialBuy;
  if (lamports < needed) throw insufficientFunds(`the creator has ${lamports} lamports and needs ${needed}`);
}

/** The first buy, by the curve's own instruction. */
function firstBuy({ creator, initialBuy }: CreateOrder, mint: Hex, floor: bigint, keepsCoins: boolean): Instruction[] {
  const curve = curveKeys(PROGRAM, mint, WRAPPED_MINT);
  const trader = { user: creator, userIn: coinsOf(creator), userOut: associatedId(creator, mint) };
  const swap = swapExactIn(PROGRAM, curveAccounts(curve, WRAPPED_MINT), trader, initialBuy, floor);
  return wrappedBuy({ creator, mint, lamports: initialBuy, keepsCoins }, swap);
}

/** What the curve's own event says that it took and gave. */
function boughtIn({ logs }: Simulated): { input: bigint; output: bigint } {
  const data = loggedData(
    { instructions: [{ program: TIDEPOOL_LAUNCHPAD }, { program: TIDEPOOL_LAUNCHPAD }], logs },
    1,
  );
  const trade = data.map(readLaunchEvent).find((event) => event?.kind === 'trade');
  if (trade?.kind !== 'trade') throw createSimulationFailed('the curve did not say what it gave');
  return trade;
}
