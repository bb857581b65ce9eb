import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/**
 * What an indexer must have found in the recorded chain: counts and sums of amounts, computed here straight from the
 * recorded receipts, by no code of the indexer.
 */
export interface IndexTotals {
  swaps: number;
  /** Sum of the absolute amounts of both sides. */
  swapVolume: bigint;
  transfers: number;
  transferVolume: bigint;
}

/** Contracts of the recording, by the logs they sent; lower-case 0x addresses. */
export interface RecordingManifest {
  pairs: string[];
  concentratedPools: string[];
  tokens: string[];
}

export interface Recording {
  blocks: number;
  logs: number;
  /** Syncs are kept as rows by the peers; for us they are states of a pool. */
  syncs: number;
  totals: IndexTotals;
  manifest: RecordingManifest;
}

interface RecordedLog {
  address: string;
  topics: string[];
  data: string;
}

const SYNC = '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1';
const PAIR_SWAP = '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822';
const UNISWAP_V3_SWAP = '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67';
const PANCAKE_V3_SWAP = '0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

export function readRecording(file: string): Recording {
  const { blocks, receipts } = JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as {
    blocks: unknown[];
    receipts: { logs: RecordedLog[] }[][];
  };
  const pairs = new Set<string>();
  const concentratedPools = new Set<string>();
  const tokens = new Set<string>();
  const totals: IndexTotals = { swaps: 0, swapVolume: 0n, transfers: 0, transferVolume: 0n };
  let logs = 0;
  let syncs = 0;
  for (const log of receipts.flat().flatMap((receipt) => receipt.logs)) {
    logs++;
    const word = (index: number) => BigInt(`0x${log.data.slice(2 + 64 * index, 66 + 64 * index)}`);
    switch (log.topics[0]) {
      case TRANSFER:
        tokens.add(log.address);
        totals.transfers++;
        totals.transferVolume += word(0);
        break;
      case SYNC:
        pairs.add(log.address);
        syncs++;
        break;
      case PAIR_SWAP:
        pairs.add(log.address);
        totals.swaps++;
        totals.swapVolume += absolute(word(0) - word(2)) + absolute(word(1) - word(3));
        break;
      case UNISWAP_V3_SWAP:
      case PANCAKE_V3_SWAP:
        concentratedPools.add(log.address);
        totals.swaps++;
        totals.swapVolume += absolute(BigInt.asIntN(256, word(0))) + absolute(BigInt.asIntN(256, word(1)));
        break;
    }
  }
  return {
    blocks: blocks.length,
    logs,
    syncs,
    totals,
    manifest: { pairs: [...pairs], concentratedPools: [...concentratedPools], tokens: [...tokens] },
  };
}

export function timesLoops(totals: IndexTotals, loops: number): IndexTotals {
  return {
    swaps: totals.swaps * loops,
    swapVolume: totals.swapVolume * BigInt(loops),
    transfers: totals.transfers * loops,
    transferVolume: totals.transferVolume * BigInt(loops),
  };
}

/** Throws with both sides when an indexer's tables do not hold exactly what the recording has. */
export function mustEqual(indexer: string, found: IndexTotals, expected: IndexTotals): void {
  for (const key of Object.keys(expected) as (keyof IndexTotals)[]) {
    if (found[key] !== expected[key]) {
      throw new Error(`${indexer}: ${key} is ${found[key]}, the recording has ${expected[key]}`);
    }
  }
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}
