import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { JsonNumber } from '#libs/core/exact-json.js';
import { type JsonObject } from '#libs/serve/http/json-body.js';
import type { AssetState } from './asset-state.js';

const METADATA = 'tokenMetadata';

/** Names that DAS has another word for; of all others it has the node's own, in small letters with lines between words. */
const dasNames: Readonly<Record<string, string>> = { [METADATA]: 'metadata' };

const nameOf = (extension: string): string =>
  dasNames[extension] ?? extension.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const extensionsOf = ({ standard }: AssetState): string[] => standard?.extensions.split(',').filter(Boolean) ?? [];

/** Whether the mint holds its own metadata, so that there is no account of Metaplex that names a standard. */
export const holdsMetadata = (state: AssetState): boolean => extensionsOf(state).includes(METADATA);

/**
 * The extensions of a mint of Token-2022 by their names, each with what is indexed of it: the token's own metadata and the last fee
 * of transfers. An extension of which nothing more is known is an empty object. Null: the mint has none.
 */
export function mintExtensions(chain: ChainSpec, state: AssetState): JsonObject | null {
  const names = extensionsOf(state);
  if (names.length === 0) return null;
  return Object.fromEntries(names.map((name) => [nameOf(name), (CONTENTS[name] ?? NOTHING)(chain, state)]));
}

const NOTHING = (): JsonObject => ({});

const CONTENTS: Readonly<Record<string, (chain: ChainSpec, state: AssetState) => JsonObject>> = {
  [METADATA]: ({ ids }, { token, record, rights, about }) => ({
    mint: ids.formatAddress(token),
    name: record?.name ?? '',
    symbol: record?.symbol ?? '',
    ...(about.uri === null ? {} : { uri: about.uri }),
    ...(rights?.metadata ? { update_authority: ids.formatAddress(rights.metadata) } : {}),
  }),
  transferFeeConfig: (_, { rights }) =>
    rights?.feeKnown === 1
      ? { newer_transfer_fee: { transfer_fee_basis_points: new JsonNumber(String(rights.transferFeeBps)) } }
      : {},
};
