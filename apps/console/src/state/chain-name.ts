import type { ChainBody } from '#libs/serve/contract/rest/chain-body.js';

/** Whether a chain of `/chains` is the one that a link names: by its slug, another name or its number. */
export const isNamed = (row: Pick<ChainBody, 'chain' | 'aliases' | 'networkId'>, name: string): boolean =>
  [row.chain, ...row.aliases, String(row.networkId)].includes(name.toLowerCase());
