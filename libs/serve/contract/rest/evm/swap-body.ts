import { payload } from '../../schema/property.js';
import { integer, list, object, text } from '../field.js';
import { EvmQuote } from './quote-body.js';

/** An unsigned transaction as `eth_sendTransaction` and viem take it; quantities are 0x hex. */
export class EvmTransaction extends payload({
  chainId: integer('Chain id.', { example: 1 }),
  from: text('The wallet that signs it.', {
    pattern: '^0x[0-9a-f]{40}$',
    example: '0x28c6c06298d514db089934071355e5743bf21d60',
  }),
  to: text('Contract it is sent to.', {
    pattern: '^0x[0-9a-f]{40}$',
    example: '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45',
  }),
  data: text('Call data. 0x hex.', { pattern: '^0x[0-9a-f]*$', example: '0x095ea7b3' }),
  value: text('Wei sent along. 0x hex.', { pattern: '^0x[0-9a-f]+$', example: '0x0' }),
  gas: text('Gas limit: what the simulation used and a margin. 0x hex.', {
    pattern: '^0x[0-9a-f]+$',
    example: '0x2bf20',
  }),
  maxFeePerGas: text('Suggested fee cap per gas, wei. 0x hex.', { pattern: '^0x[0-9a-f]+$', example: '0x59682f00' }),
  maxPriorityFeePerGas: text('Suggested tip per gas, wei. 0x hex.', { pattern: '^0x[0-9a-f]+$', example: '0x5f5e100' }),
  type: text<'0x2'>('Always 0x2 (EIP-1559).', { example: '0x2' }),
  description: text('What it does, for people.', { example: 'Approve 1000000 of 0xa0b8… for Uniswap V3' }),
}) {}

class EvmSimulation extends payload({
  blockNumber: integer('Block the sequence was simulated on.', { example: 21_000_000 }),
  blockHash: text('Its hash.', {
    pattern: '^0x[0-9a-f]{64}$',
    example: '0x6d8f4c1f6d7c0f5f0f3d4dd0a5b0f4c7d9b1e2a3c4f5061728394a5b6c7d8e9f',
  }),
  outAmount: text('What the wallet or recipient received in the simulation, base units. Decimal digits.', {
    pattern: '^\\d+$',
    example: '2513420000',
  }),
  gasUsed: text('Gas of all transactions together, decimal. Decimal digits.', { pattern: '^\\d+$', example: '121000' }),
}) {}

export class EvmSwapAnswer extends payload({
  setupTransactions: list(
    () => EvmTransaction,
    'Approvals; sign and send them in order before the swap. Empty when none is needed.',
  ),
  swapTransaction: object(() => EvmTransaction, 'The swap.'),
  quoteResponse: object(() => EvmQuote, 'The quote that was built, with the floor that the transaction enforces.'),
  simulation: object(
    () => EvmSimulation,
    'All transactions together, simulated at the head with the wallet’s own state.',
  ),
  expiresAt: text('When the swap’s deadline passes.', { example: '2026-11-22T14:00:30.000Z', format: 'date-time' }),
}) {}
