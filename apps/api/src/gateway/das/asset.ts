import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { JsonNumber } from '#libs/core/exact-json.js';
import type { Hex } from '#libs/core/ids.js';
import type { E36 } from '#libs/core/money.js';
import { type JsonObject } from '#libs/serve/http/json-body.js';
import { priceNumber, volumeNumber } from '../../rows/display.js';
import type { AssetState, OwnedAmount } from './asset-state.js';
import { holdsMetadata, mintExtensions } from './mint-extensions.js';

/**
 * A token in the shape of the digital asset standard. Raw amounts are JSON numbers of any length, as the standard has them.
 * What is not indexed (royalty, whether an owner's account is frozen) is left out, so that nothing is said that is not known.
 */
export function assetOf(chain: ChainSpec, state: AssetState, owned: OwnedAmount | null = null): JsonObject {
  const { token, record, creator, rights, standard, about } = state;
  const symbol = record?.symbol ?? null;
  const decimals = record?.decimals ?? null;
  const address = (id: Hex): string => chain.ids.formatAddress(id);
  const program = standard === null ? undefined : PROGRAMS[standard.standard];
  const extensions = mintExtensions(chain, state);
  return {
    interface: 'FungibleToken',
    id: address(token),
    content: {
      $schema: 'https://schema.metaplex.com/nft1.0.json',
      json_uri: about.uri ?? '',
      files: about.image === null ? [] : [{ uri: about.image, mime: 'image/webp' }],
      metadata: {
        ...{ name: record?.name ?? '', symbol: symbol ?? '' },
        ...(holdsMetadata(state) ? {} : { token_standard: 'Fungible' }),
        ...(about.description === null ? {} : { description: about.description }),
      },
      links: {
        ...(about.image === null ? {} : { image: about.image }),
        ...(about.website === null ? {} : { external_url: about.website }),
      },
    },
    authorities: creator === null ? [] : [{ address: address(creator), scopes: ['full'] }],
    compression: UNCOMPRESSED,
    grouping: [],
    creators: creator === null ? [] : [{ address: address(creator), share: new JsonNumber('100'), verified: true }],
    ownership:
      owned === null
        ? { frozen: false, delegated: false, delegate: null, ownership_model: 'token', owner: '' }
        : { ownership_model: 'token', owner: address(owned.owner) },
    supply: null,
    ...(rights?.metadataKnown === 1 ? { mutable: rights.metadata !== '' } : {}),
    burnt: false,
    ...(extensions === null ? {} : { mint_extensions: extensions }),
    token_info: {
      ...(symbol === null ? {} : { symbol }),
      ...(owned === null ? {} : { balance: whole(owned.amount) }),
      ...(state.supply === null ? {} : { supply: whole(state.supply) }),
      ...(decimals === null ? {} : { decimals: new JsonNumber(String(decimals)) }),
      ...(program === undefined ? {} : { token_program: program }),
      ...(rights?.mint ? { mint_authority: address(rights.mint) } : {}),
      ...(rights?.freeze ? { freeze_authority: address(rights.freeze) } : {}),
      ...priceInfo(state.priceUsd, owned),
    },
  };
}

/** By the names of token standards. */
const PROGRAMS: Readonly<Record<string, string>> = { token: TOKEN_PROGRAM, 'token-2022': TOKEN_2022_PROGRAM };

const UNCOMPRESSED = {
  ...{ eligible: false, compressed: false, data_hash: '', creator_hash: '', asset_hash: '', tree: '' },
  ...{ seq: new JsonNumber('0'), leaf_id: new JsonNumber('0') },
};

const whole = (amount: bigint): JsonNumber => new JsonNumber(amount.toString());

function priceInfo(priceUsd: E36 | null, owned: OwnedAmount | null): JsonObject {
  const price = priceNumber(priceUsd);
  if (price === null) return {};
  const total = owned === null ? null : volumeNumber(owned.value);
  return {
    price_info: {
      price_per_token: new JsonNumber(JSON.stringify(price)),
      ...(total === null ? {} : { total_price: new JsonNumber(JSON.stringify(total)) }),
      currency: 'USD',
    },
  };
}
