import { RecordedChain } from '#libs/devkit/chain-replay/recorded-chain.js';

/**
 * What an indexer must have found in the served recording: counts and sums of amounts, computed here straight from the
 * logs that are served, by no code of the indexer.
 */
export interface IndexTotals {
  swaps: number;
  /** Sum of the absolute amounts of both sides. */
  swapVolume: bigint;
  transfers: number;
  transferVolume: bigint;
}

/** Contracts of the recording, by the logs they sent; lower-case 0x addresses. */
interface RecordingManifest {
  pairs: string[];
  concentratedPools: string[];
  tokens: string[];
}

export interface Recording {
  loops: number;
  head: number;
  logs: number;
  /** The peers keep every Sync as a row; for us it is a pool's state. */
  syncs: number;
  totals: IndexTotals;
  manifest: RecordingManifest;
}

/** The events that all indexers are measured by. */
export function eventCount({ totals, syncs }: Recording): number {
  return totals.swaps + totals.transfers + syncs;
}

const SYNC = '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1';
const PAIR_SWAP = '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822';
const UNISWAP_V3_SWAP = '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67';
const PANCAKE_V3_SWAP = '0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

interface BlockTotals extends IndexTotals {
  logs: number;
  syncs: number;
}

export function surveyRecording(loops: number): Recording {
  const chain = new RecordedChain({ loops });
  const manifest = { pairs: new Set<string>(), concentratedPools: new Set<string>(), tokens: new Set<string>() };
  // Loops share their blocks' logs, so each is counted once and added as often as it is served.
  const counted = new Map<object, BlockTotals>();
  const sum: BlockTotals = { logs: 0, syncs: 0, swaps: 0, swapVolume: 0n, transfers: 0, transferVolume: 0n };
  for (let height = 0; height <= chain.headHeight; height++) {
    const template = chain.templateAt(height);
    let block = counted.get(template);
    if (block === undefined) {
      block = countBlock(template, manifest);
      counted.set(template, block);
    }
    sum.logs += block.logs;
    sum.syncs += block.syncs;
    sum.swaps += block.swaps;
    sum.swapVolume += block.swapVolume;
    sum.transfers += block.transfers;
    sum.transferVolume += block.transferVolume;
  }
  const { logs, syncs, ...totals } = sum;
  return {
    loops,
    head: chain.headHeight,
    logs,
    syncs,
    totals,
    manifest: {
      pairs: [...manifest.pairs],
      concentratedPools: [...manifest.concentratedPools],
      tokens: [...manifest.tokens],
    },
  };
}

function countBlock(
  block: { keys: readonly { address: string; topics: readonly string[] }[]; logData: readonly string[] },
  manifest: Record<keyof RecordingManifest, Set<string>>,
): BlockTotals {
  const totals: BlockTotals = { logs: 0, syncs: 0, swaps: 0, swapVolume: 0n, transfers: 0, transferVolume: 0n };
  for (const [index, { address, topics }] of block.keys.entries()) {
    const data = block.logData[index]!;
    const word = (at: number) => BigInt(`0x${data.slice(2 + 64 * at, 66 + 64 * at)}`);
    totals.logs++;
    switch (topics[0]) {
      case TRANSFER:
        manifest.tokens.add(address);
        totals.transfers++;
        totals.transferVolume += word(0);
        break;
      case SYNC:
        manifest.pairs.add(address);
        totals.syncs++;
        break;
      case PAIR_SWAP:
        manifest.pairs.add(address);
        totals.swaps++;
        totals.swapVolume += absolute(word(0) - word(2)) + absolute(word(1) - word(3));
        break;
      case UNISWAP_V3_SWAP:
      case PANCAKE_V3_SWAP:
        manifest.concentratedPools.add(address);
        totals.swaps++;
        totals.swapVolume += absolute(BigInt.asIntN(256, word(0))) + absolute(BigInt.asIntN(256, word(1)));
        break;
    }
  }
  return totals;
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
