import { CursorSigner } from '#libs/core/cursor.js';
import type { RandomMarket } from '#libs/devkit/testing/market/market-harness.js';
import type { TokenStandard } from '#libs/pipeline/projections/token-standards/projection.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import { AnswerCache } from '../src/access/answer-cache.js';
import { ChainAccess } from '../src/access/chain-access.js';
import { createDasMethods } from '../src/gateway/das/das-methods.js';
import { DasReads } from '../src/gateway/das/das-reads.js';
import { MarketLists } from '../src/market/market-lists.js';
import { ApiHarness } from './api-harness.js';
import { GatewayHarness } from './gateway-harness.js';

export interface Asset {
  id: string;
  content: { metadata: { name: string; symbol: string } };
  ownership: { owner: string };
  creators: { address: string }[];
  mint_extensions?: Record<string, unknown>;
  token_info: {
    symbol?: string;
    balance?: number;
    supply?: number;
    decimals?: number;
    mint_authority?: string;
    freeze_authority?: string;
    token_program?: string;
    price_info?: PriceInfo;
  };
}

interface PriceInfo {
  price_per_token: number;
  total_price?: number;
  currency: string;
}

export interface DasList<Item = Asset> {
  total: number;
  limit: number;
  page: number;
  items: Item[];
  cursor?: string;
}

/** An item of the holdings route. */
interface Held {
  token: string;
  amount: string;
  valueUsd: number | null;
}

/** A gateway whose DAS answers from the reader of an api over a random market; nothing is published yet. */
export async function startDas(market: RandomMarket): Promise<{ harness: ApiHarness; gateway: GatewayHarness }> {
  const harness = await ApiHarness.start(market);
  return { harness, gateway: await dasOver(harness.reader) };
}

/** A gateway without nodes, whose DAS answers from a reader. */
export async function dasOver(reader: ChainReader): Promise<GatewayHarness> {
  const { slug } = reader.chain;
  const access = new ChainAccess(new Map([[slug, reader]]));
  const signer = new CursorSigner(new Uint8Array(32).fill(7));
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const lists = new MarketLists(access, new AnswerCache('test', signer), signer, silent);
  const das = createDasMethods(new DasReads(access, signer, () => lists));
  return GatewayHarness.start({ [slug]: [] }, {}, das);
}

/** Units of whole tokens, without a float. */
export function unitsOf(amount: string, decimals: number): bigint {
  const [whole, fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** What the chain stated of a token that an asset may show: its program and the extensions of its mint. */
export const shownStandard = ({ mint_extensions, token_info }: Asset): object => ({
  ...{ program: token_info.token_program ?? null, extensions: Object.keys(mint_extensions ?? {}).sort() },
});

/** The same of the last event that named the token. */
export function standardOf(row: TokenStandard | undefined): object {
  const names = { tokenMetadata: 'metadata', metadataPointer: 'metadata_pointer' } as Record<string, string>;
  names.transferFeeConfig = 'transfer_fee_config';
  const extensions = row?.extensions ? row.extensions.split(',').map((name) => names[name] ?? name) : [];
  const programs = {
    token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    'token-2022': 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  } as Record<string, string>;
  return { program: row === undefined ? null : programs[row.standard], extensions: extensions.sort() };
}

/** What assets say of their owner's share. */
export const shownOwned = (items: readonly Asset[]): object[] =>
  items.map(({ id, ownership, token_info }) => ({
    ...{ id, owner: ownership.owner, value: token_info.price_info?.total_price ?? null },
    balance: BigInt(token_info.balance!).toString(),
  }));

/** The same as the holdings route says it; a balance as a client reads it, whose numbers are doubles. */
export const ownedOf = (
  data: (path: string) => Promise<{ decimals: number | null }>,
  slug: string,
  wallet: string,
  held: readonly Held[],
): Promise<object[]> =>
  Promise.all(
    held.map(async ({ token, amount, valueUsd }) => {
      const { decimals } = await data(`/tokens/${slug}/${token}`);
      const balance = BigInt(Number(unitsOf(amount, decimals ?? 0))).toString();
      return { id: token, owner: wallet, value: valueUsd, balance };
    }),
  );
