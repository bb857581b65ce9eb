import { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import { loggedData } from '#libs/chain/chains/solana/logged-data.js';
import type { SolanaEndpoint } from '#libs/chain/chains/solana/rpc/endpoint.js';
import { vaultBalance } from '#libs/chain/chains/solana/token-account.js';
import type { Hex } from '#libs/core/ids.js';
import { badRequest } from '#libs/serve/http/problem.js';
import {
  configId,
  type Instruction,
  MAX_UNITS,
  programDataId,
  readRouteEvent,
  readSwapConfig,
  type SwapConfig,
  TOKEN_PROGRAM_ID,
  WRAPPED_MINT,
} from '#programs/client.js';
import { type ChainNodes, NODE_DEADLINE_MS, NodesUnavailableError } from '../../nodes/chain-nodes.js';
import { notReady, Refusal } from '../../refusal.js';
import type { BuiltSolanaSwap, SwapSimulation } from '../model/built-swap.js';
import { type Costs } from '../model/built-swap.js';
import { type RecentBlockhash } from '../model/recent-blockhash.js';
import type { SolanaSwapOrder } from '../model/swap-order.js';
import { type TransactionConfig, type UnsignedTransaction } from '../model/transaction.js';
import { pausedReason } from '../readiness.js';
import { encodeTransaction, TransactionLimitError } from '../transaction/v1-transaction.js';
import type { AccountsOfHop } from '../venues/hop-accounts.js';
import { type BuildReading, readBlockhash, readForBuild, type Simulated, simulate } from './chain-reads.js';
import { costsOf, type Deposit, depositOf, loadedLimit, MAX_LOADED, priorityFee, unitLimit } from './fees.js';
import { refusalOfSimulation } from './simulation-refusals.js';
import { planSolanaSwap, type SolanaSwapPlan } from './swap-plan.js';

export interface SwapBuilderDeps {
  /** Slug of the chain. */
  chain: string;
  program: Hex;
  nodes: ChainNodes<SolanaEndpoint>;
  accountsOf: AccountsOfHop;
  /** The label of a venue with instructions of its own, by the address of its program. */
  labelOf: (program: string) => string | null;
}

/** The limits of the simulation; its figures then give the limits of the transaction. */
const WIDEST = { computeUnitLimit: MAX_UNITS, loadedAccountsDataSizeLimit: MAX_LOADED, priorityFeeLamports: 0n };

/**
 * Builds swaps of the deployed program. Invariant: a build was simulated as a whole at the head with the wallet's own
 * state, it calls the configured program alone, and the program enforces its threshold.
 */
export class SolanaSwapBuilder {
  constructor(private readonly deps: SwapBuilderDeps) {}

  async build(order: SolanaSwapOrder, signal: AbortSignal): Promise<BuiltSolanaSwap> {
    const { program, accountsOf } = this.deps;
    const plan = planSolanaSwap(program, order, accountsOf);
    const all = [...plan.needed.map(({ create }) => create), plan.instruction];
    const widest = this.encode(order.wallet, all, { ...WIDEST, heapSize: null }, new Uint8Array(32));
    const programs = [...new Set(all.map((instruction) => instruction.program)), ...plan.venues, TOKEN_PROGRAM_ID];
    const reading = await this.use(
      (endpoint, within) =>
        readForBuild(
          endpoint,
          {
            accounts: this.wanted(plan),
            sized: [...widest.keys, ...programs.map(programDataId)].slice(0, 100),
            priced: order.priority.kind === 'recent' ? writtenBy(all) : null,
          },
          within,
        ),
      signal,
    );
    const config = this.configIn(reading);
    checkAccounts(order, config, reading);
    const setup = plan.needed.filter(({ account }) => reading.accounts.get(account) === null);
    const made = [...setup.map(({ bytes }) => ({ bytes, held: 0n })), ...dueDeposits(plan, reading)];
    const costs = costsOf(made, 0n, reading.tokenRent);
    checkFunds(plan, reading, costs);
    const instructions = [...setup.map(({ create }) => create), plan.instruction];
    const tried = this.encode(order.wallet, instructions, { ...WIDEST, heapSize: null }, reading.blockhash.bytes);
    const run = await this.use((endpoint, within) => simulate(endpoint, tried.bytes, within), signal);
    if (run.error !== null) throw refusalOfSimulation(this.deps.chain, run, instructions.length - 1, this.deps.labelOf);
    return this.built(plan, reading, run, instructions, made);
  }

  async blockhash(signal: AbortSignal): Promise<RecentBlockhash> {
    return this.use((endpoint, within) => readBlockhash(endpoint, within), signal);
  }

  private built(
    plan: SolanaSwapPlan,
    reading: BuildReading,
    run: Simulated,
    instructions: readonly Instruction[],
    made: readonly Deposit[],
  ): BuiltSolanaSwap {
    const { order } = plan;
    const simulation = this.simulationOf(run, reading);
    const computeUnitLimit = unitLimit(run.units);
    const priorityFeeLamports = priorityFee(order.priority, reading.prices, computeUnitLimit);
    const config: TransactionConfig = {
      ...{ computeUnitLimit, priorityFeeLamports, heapSize: null },
      loadedAccountsDataSizeLimit: loadedLimit(simulation.loadedBytes),
    };
    const costs = costsOf(made, priorityFeeLamports, reading.tokenRent);
    checkFunds(plan, reading, costs);
    return {
      ...{ order, config, costs, simulation },
      setup: instructions.slice(0, -1),
      swap: plan.instruction,
      transaction: this.encode(order.wallet, instructions, config, reading.blockhash.bytes),
      blockhash: reading.blockhash,
    };
  }

  private simulationOf({ slot, units, loadedBytes, logs }: Simulated, { sizes }: BuildReading): SwapSimulation {
    const { program, chain } = this.deps;
    // Not from the return data: closing an account of wrapped coins empties it again.
    const events = loggedData({ instructions: [{ program: solanaIds.formatAddress(program) }], logs }, 0);
    const event = events.map(readRouteEvent).find((found) => found !== null);
    if (event === undefined)
      throw new NodesUnavailableError(chain, 'the simulation lacks what the swap program logged');
    const counted = sizes.reduce((sum, size) => sum + size + ACCOUNT_OVERHEAD, 0);
    const { amountIn, amountOut, fee } = event!;
    return { slot, units, loadedBytes: loadedBytes ?? counted, amountIn, amountOut, feeAmount: fee };
  }

  private wanted({ order, source, needed, deposits }: SolanaSwapPlan): Hex[] {
    const { wallet, feeAccount, destination } = order;
    const given = [source, feeAccount, destination].filter((id): id is Hex => id !== null);
    const ids = [
      wallet,
      configId(this.deps.program),
      ...given,
      ...[...needed, ...deposits].map(({ account }) => account),
    ];
    return [...new Set(ids)];
  }

  /** The config, read from the node that builds: a pause counts from the slot in which it is confirmed. */
  private configIn({ accounts }: BuildReading): SwapConfig {
    const { chain, program } = this.deps;
    const account = accounts.get(configId(program)) ?? null;
    const owned = account?.owner === solanaIds.formatAddress(program);
    const config = account !== null && owned ? readSwapConfig(account.data) : null;
    if (config === null) throw notReady([`${chain}: the swap program has no config`]);
    if (config.paused) throw notReady([pausedReason(chain)]);
    return config;
  }

  private encode(...given: Parameters<typeof encodeTransaction>): UnsignedTransaction {
    try {
      return encodeTransaction(...given);
    } catch (error) {
      if (!(error instanceof TransactionLimitError)) throw error;
      throw badRequest(`the route does not fit one transaction: ${error.message}; ask for a quote with fewer maxHops`);
    }
  }

  /** A question that no node can answer is no fault of the caller. */
  private async use<T>(task: (endpoint: SolanaEndpoint, signal: AbortSignal) => Promise<T>, signal: AbortSignal) {
    try {
      return await this.deps.nodes.use(task, NODE_DEADLINE_MS, signal);
    } catch (error) {
      if (error instanceof RpcError) throw new NodesUnavailableError(this.deps.chain, error.message);
      throw error;
    }
  }
}

/** Bytes that each loaded account counts beyond its data. */
const ACCOUNT_OVERHEAD = 64;

const writtenBy = (instructions: readonly Instruction[]): Hex[] => [
  ...new Set(instructions.flatMap(({ accounts }) => accounts.filter(({ writable }) => writable).map(({ id }) => id))),
];

/** What venues make or lengthen in this swap. */
const dueDeposits = ({ deposits }: SolanaSwapPlan, { accounts, tokenRent }: BuildReading): Deposit[] =>
  deposits.flatMap(({ account, bytes, grows }) => {
    const found = accounts.get(account) ?? null;
    if (found === null) return [{ bytes, held: 0n }];
    if (found.data.length >= bytes) return [];
    return [{ bytes, held: grows ? depositOf(found.data.length, tokenRent) : found.lamports }];
  });

const knownAs = ({ accounts }: BuildReading) =>
  new Map([...accounts].map(([id, account]) => [solanaIds.formatAddress(id), account]));

/** Checks that the accounts that the caller named can do what they are named for. */
function checkAccounts(
  { swap, wallet, feeAccount, destination }: SolanaSwapOrder,
  config: SwapConfig,
  reading: BuildReading,
) {
  const known = knownAs(reading);
  const holds = (account: Hex, mint: Hex): boolean =>
    vaultBalance(known, solanaIds.formatAddress(account), solanaIds.formatAddress(mint)) !== null;
  const ownerOf = (account: Hex): Hex => Buffer.from(reading.accounts.get(account)!.data).toString('hex', 32, 64);
  if (destination !== null) {
    if (!holds(destination, swap.outputMint)) {
      throw badRequest('destinationTokenAccount must be a token account of outputMint that is there already');
    }
    if (swap.exact === 'in' && swap.feeBps > 0 && ownerOf(destination) !== wallet) {
      throw badRequest(
        'destinationTokenAccount must be the wallet’s own where the platform fee is taken from the output',
      );
    }
  }
  if (swap.feeBps === 0 || feeAccount === null) return;
  const [feeMint, side] = swap.exact === 'in' ? [swap.outputMint, 'outputMint'] : [swap.inputMint, 'inputMint'];
  if (!holds(feeAccount, feeMint)) {
    throw badRequest(`feeAccount must be a token account of ${side} that is there already`);
  }
  if (config.feeOwner !== null && ownerOf(feeAccount) !== config.feeOwner) {
    throw badRequest(
      `feeAccount must be of ${solanaIds.formatAddress(config.feeOwner)}: the config of the swap program names that owner`,
    );
  }
}

/** The wallet has to hold the input and the lamports of the transaction. */
function checkFunds(
  { order, source, native, unwraps }: SolanaSwapPlan,
  reading: BuildReading,
  { totalLamports }: Costs,
): void {
  const { swap, wallet } = order;
  if (source !== null) {
    const held = vaultBalance(
      knownAs(reading),
      solanaIds.formatAddress(source),
      solanaIds.formatAddress(swap.inputMint),
    );
    if ((held ?? 0n) < swap.amountIn) {
      const what = swap.inputMint === WRAPPED_MINT ? 'wrapped coins' : 'base units of the input';
      throw insufficient(`the wallet holds ${held ?? 0n} ${what} and needs ${swap.amountIn}`);
    }
  }
  const wrapped = native?.side === 'input' ? (swap.exact === 'in' ? swap.amountIn : swap.threshold) : 0n;
  const lent = [native !== null, unwraps].filter((holds) => holds).length;
  const needed = totalLamports + wrapped + BigInt(lent) * reading.tokenRent;
  const lamports = reading.accounts.get(wallet)?.lamports ?? 0n;
  if (lamports < needed) throw insufficient(`the wallet has ${lamports} lamports and needs ${needed}`);
}

const insufficient = (message: string) => new Refusal('insufficient_funds', message);
