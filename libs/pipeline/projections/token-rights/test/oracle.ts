import type { BlockGroup } from '#libs/protocol/blocks.js';
import type { FactsBlock } from '#libs/protocol/facts.js';
import type { TokenRights } from '../projection.js';

/** For every token that an event names, the last event of each kind among all of these blocks. In no particular order. */
export function naiveRights(_: readonly FactsBlock[], recorded: readonly BlockGroup[]): TokenRights[] {
  const events = recorded.flatMap((block) => block.events);
  const authorities = events.filter((event) => event.kind === 'authority');
  const metadata = events.filter((event) => event.kind === 'metadata');
  return [...new Set([...authorities, ...metadata].map(({ token }) => token))].map((token): TokenRights => {
    const last = (wanted: string) => authorities.findLast((event) => event.token === token && event.role === wanted);
    const [mint, freeze, named] = [last('mint'), last('freeze'), last('metadata')];
    const fee = metadata.findLast((event) => event.token === token);
    return {
      token,
      ...{ mintKnown: mint ? 1 : 0, mint: mint?.authority ?? '' },
      ...{ freezeKnown: freeze ? 1 : 0, freeze: freeze?.authority ?? '' },
      ...{ metadataKnown: named ? 1 : 0, metadata: named?.authority ?? '' },
      ...{ feeKnown: fee ? 1 : 0, transferFeeBps: fee?.transferFeeBps ?? 0 },
    };
  });
}
