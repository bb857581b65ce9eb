import type { CursorSigner } from '#libs/core/cursor.js';
import { JsonNumber } from '#libs/core/exact-json.js';
import type { Hex } from '#libs/core/ids.js';
import { tokenUsd } from '#libs/pipeline/fold/token-values.js';
import type { TokenHolders } from '#libs/pipeline/projections/holders/projection.js';
import { launches } from '#libs/pipeline/projections/launches/projection.js';
import { tokenRights } from '#libs/pipeline/projections/token-rights/projection.js';
import { tokenStandards } from '#libs/pipeline/projections/token-standards/projection.js';
import { type JsonObject, type JsonValue } from '#libs/serve/http/json-body.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import type { MarketToken } from '#libs/serve/reader/market-token.js';
import { readHolderCounts } from '#libs/serve/reader/read-holders.js';
import { readKeyed } from '#libs/serve/reader/read-keyed.js';
import type { Market } from '#libs/serve/reader/read-market.js';
import { readPrices, readTokenRecords } from '#libs/serve/reader/read-prices.js';
import { type TokenOrigin, tokenOrigin } from '#libs/serve/reader/token-launch.js';
import { type TokenSupply, tokenSupply } from '#libs/serve/reader/token-supply.js';
import { addressParameter, type ChainAccess, tokenParameter } from '../../access/chain-access.js';
import { PageCursors } from '../../access/page-cursor.js';
import { byDepth, ListedToken } from '../../market/listed-token.js';
import type { MarketLists } from '../../market/market-lists.js';
import { searchTokens } from '../../market/search-tokens.js';
import { valuedHoldings } from '../../wallets/valued-holdings.js';
import { invalidParams, RpcFault, rpcCodes } from '../rpc-fault.js';
import { assetOf } from './asset.js';
import { type AssetOrder, inOrder } from './asset-order.js';
import type { AssetState } from './asset-state.js';
import type { DasPage, DasParams } from './das-params.js';
import { tokenSignatures } from './token-signatures.js';

/** Names under which searchAssets takes the text that is looked for. */
const TEXT_FILTERS = ['name', 'symbol', 'searchTerm', 'query'] as const;

/**
 * The DAS methods over the reads that the token and holdings routes answer from: a token shows the same here as there. A
 * cursor pins its view, as everywhere.
 */
export class DasReads {
  private readonly offsets: PageCursors<readonly [offset: number]>;
  private readonly places: PageCursors<readonly [block: number, ordinal: number]>;

  constructor(
    private readonly access: ChainAccess,
    signer: CursorSigner,
    private readonly lists: () => MarketLists,
  ) {
    this.offsets = new PageCursors(signer, 1);
    this.places = new PageCursors(signer, 2);
  }

  async asset(chain: string, params: DasParams): Promise<JsonObject> {
    const reader = this.access.reader(chain);
    const token = tokenParameter(reader, 'id', params.text('id'));
    const view = reader.view();
    const state = (await readAssets(view, [token])).get(token);
    if (state === undefined) throw unknownAsset(reader, token);
    return assetOf(reader.chain, state);
  }

  async batch(chain: string, params: DasParams): Promise<(JsonObject | null)[]> {
    const reader = this.access.reader(chain);
    const tokens = params.texts('ids').map((id, index) => tokenParameter(reader, `ids[${index}]`, id));
    const states = await readAssets(reader.view(), [...new Set(tokens)]);
    return tokens.map((token) => {
      const state = states.get(token);
      return state === undefined ? null : assetOf(reader.chain, state);
    });
  }

  async byOwner(chain: string, params: DasParams): Promise<JsonObject> {
    const reader = this.access.reader(chain);
    const owner = addressParameter(reader, 'ownerAddress', params.text('ownerAddress'));
    const { page } = params;
    const order = params.order();
    if (!params.fungible) return listOf([], 0, page, null);
    const scope = `das:owner:${reader.chain.slug}|${owner}${named(order)}`;
    const { offset, view } = this.placeOf(reader, scope, page);
    const holdings = await valuedHoldings(view, owner);
    const held = await inOrder(view, order, holdings, async () => {
      const origins = await readOrigins(
        view,
        holdings.map(({ token }) => token),
      );
      return ({ token }) => origins.get(token)!.createdAt;
    });
    const shown = held.slice(offset, offset + page.limit);
    const states = await readAssets(
      view,
      shown.map(({ token }) => token),
    );
    const items = shown.map(({ token, amount, record, priceUsd, value }) => {
      const state = states.get(token) ?? {
        ...{ token, record, priceUsd, supply: null, creator: null, ...NOTHING_STATED, about: view.about.of(token) },
      };
      return assetOf(reader.chain, state, { owner, amount, value });
    });
    const end = offset + page.limit;
    const next = end < held.length ? this.offsets.seal(scope, view.pin, [end]) : null;
    return listOf(items, held.length, page, next);
  }

  /** Creators are those that the index knows; an authority is taken to be the creator. */
  byCreator(chain: string, params: DasParams, name: 'creatorAddress' | 'authorityAddress'): Promise<JsonObject> {
    const reader = this.access.reader(chain);
    const creator = addressParameter(reader, name, params.text(name));
    return this.list(reader, params, `creator|${creator}`, (market) => createdBy(market, creator));
  }

  async byGroup(chain: string, params: DasParams): Promise<JsonObject> {
    const key = params.text('groupKey');
    const value = params.text('groupValue');
    if (key !== 'collection') {
      params.order();
      return listOf([], 0, params.page, null);
    }
    const reader = this.access.reader(chain);
    const authority = addressParameter(reader, 'groupValue', value);
    return this.list(reader, params, `creator|${authority}`, (market) => createdBy(market, authority));
  }

  async search(chain: string, params: DasParams): Promise<JsonObject> {
    const reader = this.access.reader(chain);
    const named = (name: string): Hex | null => {
      const text = params.optionalText(name);
      return text === null ? null : addressParameter(reader, name, text);
    };
    const creators = [named('creatorAddress'), named('authorityAddress')].filter((id) => id !== null);
    const texts = TEXT_FILTERS.flatMap((name) => params.optionalText(name)?.trim() ?? []).filter((text) => text !== '');
    const owner = named('ownerAddress');
    if (creators.length === 0 && texts.length === 0) {
      const filters = ['creatorAddress', 'authorityAddress', ...TEXT_FILTERS].join(', ');
      throw invalidParams(`searchAssets needs at least one of ${filters}; for a wallet alone ask getAssetsByOwner`);
    }
    const scope = `search|${JSON.stringify([creators, texts, owner])}`;
    return this.list(reader, params, scope, async (market) => {
      const found = await Promise.all(texts.map((text) => searchTokens([market], text)));
      const [first, ...rest] = [
        ...found.map((tokens) => tokens.first),
        ...creators.map((creator) => createdBy(market, creator)),
      ];
      const sets = rest.map((found) => new Set(found.map(({ token }) => token)));
      if (owner !== null) {
        const held = await valuedHoldings(market.view, owner);
        sets.push(new Set(held.map(({ token }) => token)));
      }
      return first!.filter(({ token }) => sets.every((set) => set.has(token)));
    });
  }

  async signatures(chain: string, params: DasParams): Promise<JsonObject> {
    const reader = this.access.reader(chain);
    const token = tokenParameter(reader, 'id', params.text('id'));
    const { page } = params;
    params.newestFirst('signatures');
    const scope = `das:signatures:${reader.chain.slug}|${token}`;
    const opened = page.cursor === undefined ? null : this.places.open(scope, page.cursor);
    const view = reader.view(opened?.pin);
    if (!(await readTokenRecords(view, [token])).has(token)) throw unknownAsset(reader, token);
    const from = opened === null ? null : { block: opened.place[0], ordinal: opened.place[1] };
    const skipped = page.cursor === undefined ? page.offset : 0;
    const { transactions, last } = await tokenSignatures(view, token, from, skipped, page.limit);
    const items = transactions.map((tx) => [reader.chain.ids.formatTx(tx), 'Swap']);
    const next = last === null ? null : this.places.seal(scope, view.pin, [last.block, last.ordinal]);
    return listOf(items, items.length, page, next);
  }

  private async list(
    reader: ChainReader,
    params: DasParams,
    what: string,
    find: (market: Market) => ListedToken[] | Promise<ListedToken[]>,
  ): Promise<JsonObject> {
    const { page } = params;
    const order = params.order();
    if (!params.fungible) return listOf([], 0, page, null);
    const scope = `das:${reader.chain.slug}|${what}${named(order)}`;
    const opened = page.cursor === undefined ? null : this.offsets.open(scope, page.cursor);
    const offset = page.cursor === undefined ? page.offset : opened!.place[0];
    const market = await this.lists().market(reader, opened?.pin);
    const found = await inOrder(
      market.view,
      order,
      await find(market),
      async () =>
        ({ createdAt }) =>
          createdAt,
    );
    const end = offset + page.limit;
    const shown = found.slice(offset, end);
    const statedOf = await readStated(
      market.view,
      shown.map(({ token }) => token),
    );
    const items = shown.map(({ listed, creator }) => {
      const { token, record, priceUsd } = listed;
      const supply = supplyOfListed(market.view, listed);
      const about = market.view.about.of(token);
      return assetOf(reader.chain, { token, record, priceUsd, supply, creator, ...statedOf(token), about });
    });
    const next = end < found.length ? this.offsets.seal(scope, market.view.pin, [end]) : null;
    return listOf(items, found.length, page, next);
  }

  private placeOf(reader: ChainReader, scope: string, page: DasPage): { offset: number; view: ChainView } {
    if (page.cursor === undefined) return { offset: page.offset, view: reader.view() };
    const { pin, place } = this.offsets.open(scope, page.cursor);
    return { offset: place[0], view: reader.view(pin) };
  }
}

/** Part of a cursor's scope: it continues the order that it was given with. */
const named = (order: AssetOrder | null): string =>
  order === null ? '' : `|${order.by}|${order.ascending ? 'asc' : 'desc'}`;

/** The deepest first. */
const createdBy = (market: Market, creator: Hex): ListedToken[] =>
  [...market.tokens.values()]
    .map((listed) => new ListedToken(market, listed))
    .filter((token) => token.creator === creator)
    .sort(byDepth);

async function readAssets(view: ChainView, tokens: readonly Hex[]): Promise<Map<Hex, AssetState>> {
  const counting = readHolderCounts(view, tokens);
  const [records, prices, counts, origins, statedOf] = await Promise.all([
    readTokenRecords(view, tokens),
    readPrices(view, tokens),
    counting,
    readOrigins(view, tokens, counting),
    readStated(view, tokens),
  ]);
  const states = new Map<Hex, AssetState>();
  for (const [token, record] of records) {
    const supply = supplyOf(view, token, tokenSupply(record, counts.get(token)));
    const { creator } = origins.get(token)!;
    const priceUsd = tokenUsd(prices, token);
    states.set(token, { token, record, priceUsd, supply, creator, ...statedOf(token), about: view.about.of(token) });
  }
  return states;
}

type Stated = Pick<AssetState, 'rights' | 'standard'>;

const NOTHING_STATED: Stated = { rights: null, standard: null };

/** What the chain states of tokens, where it does. */
async function readStated(view: ChainView, tokens: readonly Hex[]): Promise<(token: Hex) => Stated> {
  if (tokens.length === 0) return () => NOTHING_STATED;
  const bounds = { token: { in: tokens } };
  const [rights, standards] = await Promise.all([
    readKeyed(view, tokenRights, bounds),
    readKeyed(view, tokenStandards, bounds),
  ]);
  const rightsOf = new Map(rights.map((row) => [row.token, row]));
  const standardOf = new Map(standards.map((row) => [row.token, row]));
  return (token) => ({ rights: rightsOf.get(token) ?? null, standard: standardOf.get(token) ?? null });
}

async function readOrigins(
  view: ChainView,
  tokens: readonly Hex[],
  counting: Promise<ReadonlyMap<Hex, TokenHolders>> = readHolderCounts(view, tokens),
): Promise<Map<Hex, TokenOrigin>> {
  const [held, launched] = await Promise.all([
    counting,
    tokens.length === 0 ? [] : readKeyed(view, launches, { token: { in: tokens } }),
  ]);
  const launchOf = new Map(launched.map((row) => [row.token, row]));
  return new Map(tokens.map((token) => [token, tokenOrigin(launchOf.get(token), held.get(token))]));
}

const supplyOfListed = (view: ChainView, { token, supply }: MarketToken): bigint | null =>
  supplyOf(view, token, supply);

/** The mint of wrapped SOL counts nothing: wrapped coins are in accounts that no supply adds up. */
const supplyOf = ({ chain }: ChainView, token: Hex, { total }: TokenSupply): bigint | null =>
  chain.family === 'solana' && token === chain.wrappedNative.token ? null : total;

function listOf(
  items: readonly JsonValue[],
  total: number,
  { limit, page }: DasPage,
  cursor: string | null,
): JsonObject {
  const number = (value: number): JsonNumber => new JsonNumber(String(value));
  return {
    ...{ total: number(total), limit: number(limit), page: number(page), items: [...items] },
    ...(cursor === null ? {} : { cursor }),
  };
}

const unknownAsset = (reader: ChainReader, token: Hex): RpcFault =>
  new RpcFault(
    rpcCodes.unknownAsset,
    `asset ${reader.chain.ids.formatAddress(token)} is not known on ${reader.chain.slug}`,
  );
