import type { Hex } from '#libs/core/ids.js';
import type { BlockGroup, BlocksGroup, ChainEvent, ReferenceSet } from '#libs/protocol/blocks.js';

/** The same history with money that few wallets send to others, in a transaction of its own in each block. A function of each block alone. */
export function withFundedWallets(
  groups: readonly BlocksGroup[],
  wallets: readonly Hex[],
  { stables, coin }: ReferenceSet,
): BlocksGroup[] {
  const token = stables[0] ?? coin.token;
  return groups.map((group) => (group.kind === 'block' ? fundingBlock(group, wallets, token) : group));
}

/** Wallets that send money. */
const GIVERS = 2;

function fundingBlock(group: BlockGroup, wallets: readonly Hex[], token: Hex): BlockGroup {
  const digit = (at: number): number => Number.parseInt(group.hash.slice(at, at + 2), 16);
  const sender = wallets[digit(0) % GIVERS]!;
  const tx = group.txs.length;
  const last = group.events.at(-1)?.ordinal ?? -1;
  const events = [2, 4, 6].map((at, index): ChainEvent => {
    const to = wallets[digit(at) % wallets.length]!;
    return { kind: 'transfer', tx, ordinal: last + 1 + index, token, from: sender, to, amount: BigInt(digit(at + 1)) };
  });
  const id = [...group.hash].reverse().join('');
  const index = (group.txs.at(-1)?.index ?? -1) + 1;
  return { ...group, txs: [...group.txs, { id, index, sender }], events: [...group.events, ...events] };
}
