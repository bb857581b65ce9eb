import type { EvmReceipt } from '#libs/serve/contract/rest/evm/receipt-body.js';
import type { SolReceipt } from '#libs/serve/contract/rest/solana/receipt-body.js';

/** A receipt of either family, as far as this page shows it. Invariant: amounts of the side `measured` are what is compared. */
export interface ShownReceipt {
  readonly id: string;
  readonly chain: string;
  readonly wallet: string;
  readonly state: EvmReceipt['state'];
  readonly builtAt: string;
  readonly deadline: string;
  readonly inputMint: string;
  readonly outputMint: string;
  /** The side that is not exact: the output, or the input of an exact output. */
  readonly measured: 'in' | 'out';
  /** Of the exact side. */
  readonly amount: string;
  /** Of the measured side. */
  readonly quoted: string;
  readonly dex: string;
  readonly pools: number;
  /** Block or slot of the quote. */
  readonly quotedAt: number;
  readonly executed: ShownExecution | null;
}

interface ShownExecution {
  readonly tx: string;
  readonly height: number;
  readonly time: string;
  /** Of the measured side. */
  readonly amount: string;
  readonly differenceBps: number | null;
  /** Blocks or slots between the simulation and the swap. */
  readonly later: number;
}

const shared = ({
  id,
  chain,
  wallet,
  state,
  builtAt,
  deadline,
  inputMint,
  outputMint,
  dex,
}: EvmReceipt | SolReceipt) => ({
  ...{ id, chain, wallet, state, builtAt, deadline, inputMint, outputMint, dex },
});

export function evmReceipt(receipt: EvmReceipt): ShownReceipt {
  const { executed } = receipt;
  return {
    ...shared(receipt),
    ...{ measured: 'out', amount: receipt.inAmount, quoted: receipt.quotedOut },
    ...{ pools: receipt.pools.length, quotedAt: receipt.quoteBlock.number },
    executed: executed && {
      ...{ tx: executed.tx, height: executed.block, time: executed.time, amount: executed.outAmount },
      ...{ differenceBps: executed.differenceBps, later: executed.blocksLater },
    },
  };
}

export function solanaReceipt(receipt: SolReceipt): ShownReceipt {
  const { executed, swapMode } = receipt;
  const isExactIn = swapMode === 'ExactIn';
  return {
    ...shared(receipt),
    measured: isExactIn ? 'out' : 'in',
    amount: isExactIn ? receipt.inAmount : receipt.quotedOut,
    quoted: isExactIn ? receipt.quotedOut : receipt.inAmount,
    pools: receipt.legs.reduce((sum, { steps }) => sum + steps.length, 0),
    quotedAt: receipt.quoteSlot,
    executed: executed && {
      ...{ tx: executed.tx, height: executed.slot, time: executed.time },
      amount: isExactIn ? executed.outAmount : executed.inAmount,
      ...{ differenceBps: executed.differenceBps, later: executed.slotsLater },
    },
  };
}
