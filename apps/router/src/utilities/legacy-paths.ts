import { chainManifests } from '#libs/chain/chains/registry.js';

const { slug } = chainManifests.all.find(({ family }) => family === 'solana')!;

/** What the paths of the legacy host begin with. */
export const LEGACY = `/api/${slug}`;
