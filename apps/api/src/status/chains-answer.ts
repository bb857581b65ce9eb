import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { chainManifests } from '#libs/chain/chains/registry.js';
import type { ChannelDeclaration } from '#libs/serve/contract/channel-declaration.js';
import type { ChainBody, ChainsAnswer } from '#libs/serve/contract/rest/chain-body.js';
import type { Meta } from '#libs/serve/contract/rest/meta.js';
import { type ChainView, finalizedOf } from '#libs/serve/reader/chain-view.js';
import { ChainUnavailableError } from '#libs/serve/reader/unavailable.js';
import type { ChainAccess } from '../access/chain-access.js';
import { metaOf } from '../rows/display.js';

type Declared = Pick<ChannelDeclaration, 'name' | 'family'>;

/** Every chain whose names are accepted; `head` is null where this instance has nothing to serve now. */
export function chainsAnswer(access: ChainAccess, channels: readonly Declared[]): ChainsAnswer {
  const chains: Record<string, Meta> = {};
  const data = chainManifests.all.map((identity): ChainBody => {
    const spec = access.find(identity.slug)?.chain ?? chainSpec(identity.slug);
    const view = viewOf(access, identity.slug);
    if (view !== null) chains[identity.slug] = metaOf(view);
    return {
      chain: identity.slug,
      aliases: [...identity.aliases],
      networkId: identity.networkId,
      chainId: identity.chainId,
      family: identity.family,
      name: identity.name,
      nativeCurrency: spec && { ...spec.nativeCurrency },
      wrappedNative: spec === null ? null : spec.ids.formatAddress(spec.wrappedNative.token),
      head: view && {
        block: view.head.height,
        blockHash: view.chain.ids.formatBlockHash(view.head.hash),
        time: view.head.time,
        finalized: finalizedOf(view),
      },
      launchpads: spec === null ? [] : [...spec.launchpads],
      channels: (access.find(identity.slug) === null ? [] : channels)
        .filter(({ family = identity.family }) => family === identity.family)
        .map(({ name }) => name),
    };
  });
  return { data, meta: { chains } };
}

function viewOf(access: ChainAccess, slug: string): ChainView | null {
  try {
    return access.find(slug)?.view() ?? null;
  } catch (error) {
    if (error instanceof ChainUnavailableError) return null;
    throw error;
  }
}
