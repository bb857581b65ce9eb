import type { BlockGroup } from '#libs/protocol/blocks.js';
import type { FactsBlock } from '#libs/protocol/facts.js';
import type { TokenStandard } from '../projection.js';

/** For every token that an event names, the last event of its metadata among all of these blocks. In no particular order. */
export function naiveStandards(_: readonly FactsBlock[], recorded: readonly BlockGroup[]): TokenStandard[] {
  const said = recorded.flatMap(({ events }) => events.filter((event) => event.kind === 'metadata'));
  return [...new Set(said.map(({ token }) => token))].map((token): TokenStandard => {
    const { standard, extensions } = said.findLast((event) => event.token === token)!;
    return { token, standard, extensions: extensions.join() };
  });
}
