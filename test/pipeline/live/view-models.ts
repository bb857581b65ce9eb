import { holderRows } from '#apps/api/src/holders/holder-rows.js';
import { traderRows } from '#apps/api/src/positions/trader-rows.js';
import { priceRows } from '#apps/api/src/tokens/price-rows.js';
import { poolRow, tokenRow } from '#apps/api/src/tokens/token-row.js';
import { baseTradeRows } from '#apps/api/src/trades/trade-rows.js';
import { holdingRows } from '#apps/api/src/wallets/holding-rows.js';
import type { Hex } from '#libs/core/ids.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { readToken, readTokenPools } from '#libs/serve/reader/read-token.js';
import { readTrades } from '#libs/serve/reader/read-trades.js';
import { plain, restTrades, withTags } from './rest-answers.js';

export type ViewRequest =
  | { channel: 'token' | 'pairs' | 'holders' | 'traders'; token: Hex }
  | { channel: 'prices'; tokens: readonly Hex[] }
  | { channel: 'wallet'; wallet: Hex; balances: boolean };

export interface ViewFrame {
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: rows are compared field by field
  data: any;
  // biome-ignore lint/suspicious/noExplicitAny: fields next to the rows differ by channel
  [beside: string]: any;
}

/** What a client of one channel holds, and which part of it has to be what REST answers. */
export interface ViewModel<Held> {
  /** What is held after a frame. */
  apply(held: Held | null, frame: ViewFrame, rest: Held): Held;
  /** What REST answers at a view, in the form of what is held. */
  rest(view: ChainView): Promise<Held>;
  /** The part that is exact after a frame of a type; at rest, after the newest block. */
  exact(held: Held, after: ViewFrame | null): unknown;
}

interface HeldToken {
  row: Record<string, unknown> | null;
  /** Trades of the token: those that REST has at the snapshot, and those that the ticks count since. */
  trades: number;
}

const MANY = 1_000_000;
const TICKED = ['priceUsd', 'priceNative', 'marketCapUsd', 'fdvUsd', 'liquidityUsd', 'holders', 'stats', 'updatedAt'];

/** Everything at a snapshot, price and caps at a tick. */
function tokenModel(token: Hex): ViewModel<HeldToken> {
  return {
    apply(held, { type, data }, rest) {
      if (type === 'snapshot') return { row: data, trades: rest.trades };
      const { trades, ...tick } = data;
      return { row: { ...held!.row, ...tick }, trades: held!.trades + trades };
    },
    async rest(view) {
      const state = await readToken(view, token);
      const row = state && (plain(tokenRow(view, token, state)) as unknown as HeldToken['row']);
      return { row, trades: (await restTrades(view, token, MANY)).length };
    },
    exact({ row, trades }, after) {
      // The last frame at rest is the snapshot that comes every minute.
      if (after === null || after.type === 'snapshot') return { trades, row };
      return { trades, ...Object.fromEntries(TICKED.map((field) => [field, row?.[field]])) };
    },
  };
}

type HeldPairs = Record<string, Record<string, unknown>>;
const byAddress = (rows: Record<string, unknown>[]): HeldPairs =>
  Object.fromEntries(rows.map((row) => [row.address, row]).sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)));

/** All rows at a snapshot; then those of the frame, and which pools there are. */
function pairsModel(token: Hex): ViewModel<HeldPairs> {
  return {
    apply(held, { type, data }) {
      return type === 'snapshot' ? byAddress(data) : byAddress([...Object.values(held!), ...data]);
    },
    async rest(view) {
      const pools = await readTokenPools(view, token);
      return byAddress(plain(pools.map((pool) => poolRow(view.chain, pool))) as never);
    },
    exact(held, after) {
      if (after?.type === 'snapshot') return held;
      const named = new Set((after?.data ?? []).map(({ address }: { address: string }) => address));
      return Object.entries(held).map(([address, row]) => (named.has(address) ? row : address));
    },
  };
}

/** Prices always; the change in a day and the time are those of a row's last frame. */
function pricesModel(tokens: readonly Hex[]): ViewModel<HeldPairs> {
  return {
    apply: (held, { type, data }) => byAddress(type === 'snapshot' ? data : [...Object.values(held!), ...data]),
    async rest(view) {
      const rows = await priceRows(view, tokens);
      return byAddress(plain([...rows.values()]) as never);
    },
    exact(held, after) {
      if (after?.type === 'snapshot') return held;
      const named = new Set((after?.data ?? []).map(({ address }: { address: string }) => address));
      return Object.entries(held).map(([address, row]) =>
        named.has(address) ? row : [address, row.priceUsd, row.priceNative],
      );
    },
  };
}

interface HeldHolders {
  rows: Record<string, unknown>[];
  complete: boolean;
  holders: number | null;
}

/** Everything, always; values are those of the last frame's block. */
function holdersModel(token: Hex): ViewModel<HeldHolders> {
  return {
    apply: (_held, { data, complete, holders }) => ({ rows: data, complete, holders }),
    async rest(view) {
      const none = { rows: [], complete: false, holders: null };
      const { rows, complete, holders } = (await holderRows(view, token, 0, 50)) ?? none;
      return plain({ rows, complete, holders }) as unknown as HeldHolders;
    },
    exact: (held, after) =>
      after === null ? { ...held, rows: held.rows.map(({ valueUsd: _value, ...row }) => row) } : held,
  };
}

/** Everything after a frame; at rest, who is listed and what they traded. */
function tradersModel(token: Hex): ViewModel<Record<string, unknown>[]> {
  return {
    apply: (_held, { data }) => data,
    rest: async (view) => plain((await traderRows(view, token, 0, 50))?.rows ?? []) as never,
    exact: (held, after) =>
      after === null ? held.map(({ wallet, buys, sells, realizedUsd }) => [wallet, buys, sells, realizedUsd]) : held,
  };
}

interface HeldWallet {
  trades: Record<string, unknown>[];
  balances: Record<string, Record<string, unknown>> | null;
}

const put = (held: HeldWallet['balances'], rows: Record<string, unknown>[]): HeldWallet['balances'] => {
  const all: HeldPairs = { ...held, ...Object.fromEntries(rows.map((row) => [row.token, row])) };
  const left = Object.entries(all).filter(([, { amount }]) => amount !== '0' && amount !== null);
  return Object.fromEntries(left.sort(([a], [b]) => (a < b ? -1 : 1)));
};

/** Trades and amounts always; the rest of a holding with the frame that names it. */
function walletModel(wallet: Hex, withBalances: boolean): ViewModel<HeldWallet> {
  return {
    apply(held, { type, data, balances, tags }) {
      if (type === 'snapshot') return { trades: data, balances: withBalances ? put(null, balances) : null };
      if (type === 'balances') return { ...held!, balances: put(held!.balances, data) };
      if (type === 'tags') {
        const trades = withTags(held!.trades, data, 'token');
        return { trades, balances: withBalances ? put(held!.balances, balances) : null };
      }
      const trades = [...[...data].reverse(), ...withTags(held!.trades, tags, 'token')];
      return { trades, balances: withBalances ? put(held!.balances, balances) : null };
    },
    async rest(view) {
      const { trades } = await readTrades(view, { wallet, limit: MANY });
      const rows = plain(await baseTradeRows(view, trades)) as never;
      const held = withBalances ? (plain(await holdingRows(view, wallet)) as never) : null;
      return { trades: rows, balances: held && put(null, held) };
    },
    exact({ trades, balances }, after) {
      const named = new Set(
        (after?.balances ?? (after?.type === 'tags' ? [] : after?.data) ?? []).map(
          ({ token }: { token: string }) => token,
        ),
      );
      const amounts = Object.entries(balances ?? {}).map(([token, row]) => [
        token,
        named.has(token) ? row : row.amount,
      ]);
      return { trades: trades.slice(0, 50), amounts };
    },
  };
}

export function viewModel(request: ViewRequest): ViewModel<unknown> {
  if (request.channel === 'wallet') return walletModel(request.wallet, request.balances) as ViewModel<unknown>;
  if (request.channel === 'prices') return pricesModel(request.tokens) as ViewModel<unknown>;
  const models = { token: tokenModel, pairs: pairsModel, holders: holdersModel, traders: tradersModel };
  return models[request.channel](request.token) as ViewModel<unknown>;
}
