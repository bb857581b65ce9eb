import type { EventDecoder } from '#libs/chains/evm/event-decoder.js';
import { evmVenues, poolEventTable } from '#libs/venues/registry.js';
import { findReceipts } from './documents.js';

/** One swap as `tidepool decode` prints it: amounts are signed pool deltas in base units (in minus out). */
export interface DecodedSwap {
  kind: 'swap';
  protocol: 'v2' | 'v3';
  pool: string;
  logIndex: number;
  amount0: string;
  amount1: string;
  sender: string;
  recipient: string;
}

const decoders: ReadonlyMap<string, EventDecoder> = poolEventTable(evmVenues.values());

/**
 * Swaps of the transactions in a parsed JSON document, in log order: of V2-shaped pools of any factory, of Uniswap V3
 * and of PancakeSwap V3. Pure. Throws NotATransactionError for a document that holds none.
 */
export function decodeDocument(document: unknown): DecodedSwap[] {
  const swaps: DecodedSwap[] = [];
  for (const { logs } of findReceipts(document)) {
    for (const log of logs) {
      const event = decoders.get(log.topics[0] ?? '')?.(log, 0, log.logIndex);
      if (event?.kind !== 'swap') continue;
      swaps.push({
        kind: 'swap',
        protocol: event.after === null ? 'v2' : 'v3',
        pool: `0x${event.pool}`,
        logIndex: event.ordinal,
        amount0: event.amount0.toString(),
        amount1: event.amount1.toString(),
        sender: `0x${event.sender}`,
        recipient: `0x${event.recipient}`,
      });
    }
  }
  return swaps;
}
