import type { ProbeCall } from '../../probe/probe-node.js';
import type { Ask, Way } from '../../probe/run-way.js';
import { blockOf, blockQuestion, CONFIRMED, deeds, slotsOf } from './solana-questions.js';

export const solanaWayNames = ['blocks', 'lists'] as const;
export type SolanaWayName = (typeof solanaWayNames)[number];

export interface SolanaWayOptions {
  /** Blocks of one list; below 2 the node takes none. */
  readonly list: number;
  /** Slots of one question for the slots that hold a block. */
  readonly range: number;
  /** The newest version of transactions that the node knows. */
  readonly version: number;
}

/** Whole blocks are large: more of them at once are no faster. */
const MOST_BLOCKS = 16;

/** The ways in which the history of Solana can be read: whole blocks, one a request or several. */
export function solanaWays({ list, range, version }: SolanaWayOptions): Readonly<Record<SolanaWayName, Way>> {
  const whole = (name: SolanaWayName, about: string, most: number): Way => ({
    ...{ name, about, mostHeights: Math.max(1, Math.min(range, most)) },
    async read(from, to, ask) {
      let events = 0;
      const slots = await slotsIn(ask, from, to);
      for (let start = 0; start < slots.length; start += most) {
        const part = slots.slice(start, start + most);
        const calls = part.map((slot): ProbeCall => ({ method: 'getBlock', params: [slot, blockQuestion(version)] }));
        const blocks = await ask(calls);
        for (const [n, block] of blocks.entries()) events += deeds(blockOf(block, part[n]!));
      }
      return events;
    },
  });
  return {
    blocks: whole('blocks', 'each block with its transactions, one a request', 1),
    lists: whole(
      'lists',
      'blocks with their transactions, several a request',
      Math.max(1, Math.min(list, MOST_BLOCKS)),
    ),
  };
}

async function slotsIn(ask: Ask, from: number, to: number): Promise<number[]> {
  const [answer] = await ask([{ method: 'getBlocks', params: [from, to, CONFIRMED] }]);
  return slotsOf(answer).filter((slot) => slot >= from && slot <= to);
}
