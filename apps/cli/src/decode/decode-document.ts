import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { evmCurves } from '#libs/chain/launchpads/evm-registry.js';
import { solanaLaunchpads } from '#libs/chain/launchpads/solana-registry.js';
import type { PoolEventReader } from '#libs/chain/market-ports/evm/evm-venue.js';
import { poolEventTable } from '#libs/chain/market-ports/evm/venue-registry.js';
import { tradesOf, venuesByProgram } from '#libs/chain/market-ports/solana/trades.js';
import { undecodedSwaps } from '#libs/chain/market-ports/solana/undecoded.js';
import { evmVenues } from '#libs/chain/venues/evm-registry.js';
import { solanaVenues } from '#libs/chain/venues/solana-registry.js';
import { findTransactions, type ReceiptLog } from './documents.js';

/** One EVM swap as `tidepool decode` prints it: amounts are signed pool deltas in base units (in minus out). */
export interface DecodedSwap {
  kind: 'swap';
  /** As the venue's folder says: `v2`, `v3`, … */
  protocol: string;
  pool: string;
  logIndex: number;
  amount0: string;
  amount1: string;
  sender: string;
  recipient: string;
}

/** One leg of a Solana transaction as `tidepool decode` prints it: amounts in base units, addresses in base58. */
export interface DecodedTrade {
  kind: 'trade';
  dex: string;
  pool: string;
  wallet: string;
  inputMint: string;
  inputAmount: string;
  outputMint: string;
  outputAmount: string;
  /** "3" for the fourth top-level instruction, "3.2" for the third entry of its list of inner instructions. */
  instruction: string;
}

export interface DecodedDocument {
  lines: (DecodedSwap | DecodedTrade)[];
  /** Programs of the swaps that no venue reads, once per swap. */
  undecoded: string[];
}

const readers: ReadonlyMap<string, PoolEventReader> = poolEventTable([...evmVenues.values(), ...evmCurves.values()]);
const programs = venuesByProgram([...solanaVenues, ...solanaLaunchpads].map(({ decoder }) => decoder));

/**
 * Swaps of the transactions in a parsed JSON document, in execution order: on EVM chains of any
 * pool that has the events of a registered venue, from any factory; on Solana of every registered venue and launchpad. Pure. Throws
 * NotATransactionError for a document that holds none.
 */
export function decodeDocument(document: unknown): DecodedDocument {
  const decoded: DecodedDocument = { lines: [], undecoded: [] };
  for (const found of findTransactions(document)) {
    if (found.family === 'evm') addSwaps(found.logs, decoded);
    else addTrades(found.transaction, decoded);
  }
  return decoded;
}

function addSwaps(logs: readonly ReceiptLog[], { lines }: DecodedDocument): void {
  for (const log of logs) {
    const reader = readers.get(log.topics[0] ?? '');
    const event = reader?.decode(log, 0, log.logIndex);
    if (reader === undefined || event?.kind !== 'swap') continue;
    lines.push({
      kind: 'swap',
      protocol: reader.protocol,
      pool: `0x${event.pool}`,
      logIndex: event.ordinal,
      amount0: event.amount0.toString(),
      amount1: event.amount1.toString(),
      sender: `0x${event.sender}`,
      recipient: `0x${event.recipient}`,
    });
  }
}

function addTrades(transaction: SolanaTransaction, { lines, undecoded }: DecodedDocument): void {
  const trades = tradesOf(transaction, programs);
  for (const trade of trades) {
    lines.push({
      kind: 'trade',
      dex: trade.dex,
      pool: solanaIds.formatAddress(trade.pool),
      wallet: solanaIds.formatAddress(trade.wallet),
      inputMint: solanaIds.formatAddress(trade.inputMint),
      inputAmount: trade.inputAmount.toString(),
      outputMint: solanaIds.formatAddress(trade.outputMint),
      outputAmount: trade.outputAmount.toString(),
      instruction: trade.instruction,
    });
  }
  undecoded.push(...undecodedSwaps(transaction, trades));
}
