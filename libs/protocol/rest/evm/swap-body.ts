import { integer, list, object, text } from '../field.js';
import { EvmQuote } from './quote-body.js';

/** An unsigned transaction as `eth_sendTransaction` and viem take it; quantities are 0x hex. */
export class EvmTransaction {
  @integer('Chain id.')
  chainId!: number;

  @text('The wallet that signs it.')
  from!: string;

  @text('Contract it is sent to.')
  to!: string;

  @text('Call data.')
  data!: string;

  @text('Wei sent along.')
  value!: string;

  @text('Gas limit: what the simulation used and a margin.')
  gas!: string;

  @text('Suggested fee cap per gas, wei.')
  maxFeePerGas!: string;

  @text('Suggested tip per gas, wei.')
  maxPriorityFeePerGas!: string;

  @text('Always 0x2 (EIP-1559).')
  type!: '0x2';

  @text('What it does, for people.', { example: 'Approve 1000000 of 0xa0b8… for Uniswap V3' })
  description!: string;
}

export class EvmSimulation {
  @integer('Block the sequence was simulated on.')
  blockNumber!: number;

  @text('Its hash.')
  blockHash!: string;

  @text('What the wallet or recipient received in the simulation, base units.')
  outAmount!: string;

  @text('Gas of all transactions together, decimal.')
  gasUsed!: string;
}

export class EvmSwapAnswer {
  @list(() => EvmTransaction, 'Approvals; sign and send them in order before the swap. Empty when none is needed.')
  setupTransactions!: EvmTransaction[];

  @object(() => EvmTransaction, 'The swap.')
  swapTransaction!: EvmTransaction;

  @object(() => EvmQuote, 'The quote that was built, with the floor that the transaction enforces.')
  quoteResponse!: EvmQuote;

  @object(() => EvmSimulation, 'All transactions together, simulated at the head with the wallet’s own state.')
  simulation!: EvmSimulation;

  @text('When the swap’s deadline passes.', { format: 'date-time' })
  expiresAt!: string;
}
