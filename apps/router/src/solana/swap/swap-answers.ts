import type { SolSimulation, SolSwapAnswer } from '#libs/serve/contract/rest/solana/swap-body.js';
import type { BuiltQuote, SwapSimulation } from '../model/built-swap.js';
import { instructionBody } from './instruction-body.js';

/** Writes the answers of builds. Amounts above 2^53 that are JSON numbers are written digit for digit. */
export function instructionsText({ built }: BuiltQuote): string {
  const { config, costs, blockhash, simulation, order } = built;
  const { exact, amountIn, amountOut, threshold } = order.swap;
  const [minReturn, maxAmountIn] = exact === 'in' ? [threshold, amountIn] : [amountOut, threshold];
  const head = {
    computeBudgetInstructions: [],
    setupInstructions: built.setup.map(instructionBody),
    swapInstruction: instructionBody(built.swap),
    cleanupInstruction: null,
    otherInstructions: [],
    addressLookupTableAddresses: [],
  };
  const { computeUnitLimit, loadedAccountsDataSizeLimit, priorityFeeLamports } = config;
  const limits = { computeUnitLimit, loadedAccountsDataSizeLimit };
  const rest = {
    computeUnits: simulation.units,
    loadedAccountsDataSize: simulation.loadedBytes,
    costs: Object.fromEntries(Object.entries(costs).map(([name, lamports]) => [name, String(lamports)])),
    blockhash: blockhash.blockhash,
    lastValidBlockHeight: blockhash.lastValidBlockHeight,
    simulation: simulationBody(simulation),
  };
  return [
    `${open(head)},"transactionConfig":${open(limits)},"priorityFeeLamports":${priorityFeeLamports}}`,
    `"minReturn":${minReturn},"maxAmountIn":${maxAmountIn}`,
    JSON.stringify(rest).slice(1),
  ].join(',');
}

export function swapText({ built, quote }: BuiltQuote): string {
  const { config, transaction, blockhash, simulation } = built;
  const { priorityFeeLamports, computeUnitLimit } = config;
  const answer: Omit<SolSwapAnswer, 'prioritizationFeeLamports'> = {
    swapTransaction: transaction.bytes.toString('base64'),
    lastValidBlockHeight: blockhash.lastValidBlockHeight,
    computeUnitLimit,
    quoteResponse: quote,
    simulation: simulationBody(simulation),
  };
  return `${open(answer)},"prioritizationFeeLamports":${priorityFeeLamports}}`;
}

/** The text of an object without its last brace. */
const open = (value: object): string => JSON.stringify(value).slice(0, -1);

const simulationBody = ({
  slot,
  amountIn,
  amountOut,
  feeAmount,
  units,
  loadedBytes,
}: SwapSimulation): SolSimulation => ({
  slot,
  inAmount: String(amountIn),
  outAmount: String(amountOut),
  feeAmount: String(feeAmount),
  computeUnits: units,
  loadedAccountsDataSize: loadedBytes,
});
