import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import type { Behaviour, Json, NodeView, Rule } from './behaviour.js';
import { oldestOf } from './questions.js';

/** False or incomplete answers of a Solana node about whole blocks. Which slots follows from the seed. */
export function blocksAs(share: number, change: (block: Json) => Json): Behaviour['rule'] {
  return (node) => ({
    onResult: ({ method, params }, block) => {
      if (method !== 'getBlock' || !block?.transactions?.length || !isChosen(node, params[0], share)) return block;
      node.struck();
      return change(block);
    },
  });
}

export const withoutTransaction = (block: Json): Json => ({ ...block, transactions: block.transactions.slice(0, -1) });

export const withOtherAmount = (block: Json): Json => {
  const [first, ...rest] = block.transactions;
  const { meta } = first;
  const [fee, moved, ...others] = meta.postBalances;
  const altered = { ...meta, postBalances: moved === undefined ? [fee + 1] : [fee, moved + 1, ...others] };
  return { ...block, transactions: [{ ...first, meta: altered }, ...rest] };
};

export const withOtherParent = (block: Json): Json => ({ ...block, previousBlockhash: block.blockhash });

const withoutMeta = (block: Json): Json => ({
  ...block,
  transactions: block.transactions.map((entry: Json) => ({ ...entry, meta: null })),
});

const withoutCalls = (block: Json): Json => ({
  ...block,
  transactions: block.transactions.map((entry: Json) => ({
    ...entry,
    meta: entry.meta && { ...entry.meta, innerInstructions: null },
  })),
});

/** Blocks that are there are said to be skipped, and are left out of lists. */
export function skips(share: number): Behaviour['rule'] {
  return (node): Rule => {
    const isHidden = (slot: number): boolean => isChosen(node, slot, share);
    return {
      onCall: ({ method, params }) => {
        if (method !== 'getBlock' || !isHidden(params[0])) return null;
        node.struck();
        const message = `Slot ${params[0]} was skipped, or missing due to ledger jump to recent snapshot`;
        return { error: { code: -32007, message } };
      },
      onResult: ({ method }, result) =>
        /^getBlocks/.test(method) ? result.filter((slot: number) => !isHidden(slot)) : result,
    };
  };
}

/** Calls inside of programs were not recorded before a share of the chain. */
export function withoutCallsBefore(share: number): Behaviour['rule'] {
  return (node) => ({
    onResult: ({ method, params }, block) => {
      if (method !== 'getBlock' || !block?.transactions?.length || params[0] >= oldestOf(share, node)) return block;
      node.struck();
      return withoutCalls(block);
    },
  });
}

/** The outcome of transactions comes some questions later than the block. */
export function metaLater(questions: number): Behaviour['rule'] {
  return (node) => {
    const asked = new Map<number, number>();
    return {
      onResult: ({ method, params }, block) => {
        if (method !== 'getBlock' || !block?.transactions?.length || !isChosen(node, params[0], 0.1)) return block;
        const times = asked.get(params[0]) ?? 0;
        asked.set(params[0], times + 1);
        if (times >= questions) return block;
        node.struck();
        return withoutMeta(block);
      },
    };
  };
}

/** The first block of a chain is left alone: it says which chain it is. */
const isChosen = (node: NodeView, slot: number, share: number): boolean =>
  slot > 0 && new SeededRandom(node.seed ^ (slot * 2_654_435_761)).chance(share);
