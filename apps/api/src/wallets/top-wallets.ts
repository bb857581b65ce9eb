import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '#libs/app/modules/tokens.js';
import { byId } from '#libs/core/by-id.js';
import type { Hex } from '#libs/core/ids.js';
import type { E18 } from '#libs/core/money.js';
import { HOUR_MS } from '#libs/pipeline/projections/wallet-profits/projection.js';
import type { ProfitOrder, ProfitSum } from '#libs/pipeline/store/market/profit-reads.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import type { ChainReader } from '#libs/serve/reader/chain-reader.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { readHolderCounts, unknownBalances } from '#libs/serve/reader/read-holders.js';
import { readWalletPositions } from '#libs/serve/reader/read-positions.js';
import { readTopWallets } from '#libs/serve/reader/read-top-wallets.js';
import { StaleWhileRevalidate } from '../access/stale-while-revalidate.js';
import { isMoney, openTotals } from '../rows/profit-rows.js';
import { valuationsAt } from './valuations.js';
import { holdingsOf, type ValuedHolding } from './valued-holdings.js';

const HOURS = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24 } as const;
/** Wallets of the newest ranking: two of the longest pages. */
const KEPT_WALLETS = 401;

/** Tokens of each wallet that are valued: those it traded last. */
const MOST_TOKENS = 1_000;

export interface TopWalletsAsked {
  readonly window: keyof typeof HOURS;
  readonly sort: ProfitOrder;
}

/** Cost and unrealised profit of what a wallet traded and holds, and the worth of all that it holds. */
type Open = ReturnType<typeof openTotals> & { readonly valueUsd: E18 | null; readonly exitUsd: E18 | null };

/** The first wallets of a chain at one view, and what they hold there, which is read once for each. */
export class TopWallets {
  private readonly open = new Map<Hex, Promise<Open>>();
  /** Requests had what so many of the first ones hold. */
  private asked = 0;

  constructor(
    readonly view: ChainView,
    readonly sums: readonly ProfitSum[],
  ) {}

  /** In the order of `sums`, which are some of this ranking's. */
  openOf(sums: readonly ProfitSum[]): Promise<Open[]> {
    const last = sums.at(-1);
    if (last !== undefined) this.asked = Math.max(this.asked, this.sums.indexOf(last) + 1);
    return this.read(sums);
  }

  /** Reads what requests had of the ranking before. */
  async prepare(before: TopWallets): Promise<void> {
    await this.read(this.sums.slice(0, before.asked));
  }

  private read(sums: readonly ProfitSum[]): Promise<Open[]> {
    const missing = sums.filter(({ wallet }) => !this.open.has(wallet));
    if (missing.length > 0) {
      const reading = readOpen(this.view, missing);
      missing.forEach(({ wallet }, index) => {
        const open = reading.then((all) => all[index]!);
        this.open.set(wallet, open);
        // A failed read is not kept; those that wait for it get the failure.
        open.catch(() => this.open.delete(wallet));
      });
    }
    return Promise.all(sums.map(({ wallet }) => this.open.get(wallet)!));
  }
}

async function readOpen(view: ChainView, sums: readonly ProfitSum[]): Promise<Open[]> {
  const wallets = sums.map(({ wallet }) => wallet);
  const [positions, held] = await Promise.all([
    readWalletPositions(view, wallets, { most: MOST_TOKENS }),
    holdingsOf(view, wallets),
  ]);
  const [valuationOf, counts] = await Promise.all([
    valuationsAt(view, positions),
    readHolderCounts(view, [...new Set(positions.map(({ token }) => token))]),
  ]);
  const traded = byId(positions, ({ wallet }) => wallet);
  return sums.map(({ wallet, firstTradeAt }) => ({
    ...openTotals(
      traded.get(wallet) ?? [],
      valuationOf,
      ({ token, lastTradeAt }) => lastTradeAt >= firstTradeAt && !isMoney(view.chain, token),
    ),
    ...worthOf(
      held.get(wallet) ?? [],
      (traded.get(wallet) ?? []).every(({ token }) => unknownBalances(counts.get(token)) === null),
    ),
  }));
}

/** Null where none of what a wallet traded is known to be held by it, or not to be. */
function worthOf(held: readonly ValuedHolding[], isKnown: boolean): Pick<Open, 'valueUsd' | 'exitUsd'> {
  if (held.length === 0 && !isKnown) return { valueUsd: null, exitUsd: null };
  const sum = (of: (row: ValuedHolding) => E18 | null): E18 => held.reduce((total, row) => total + (of(row) ?? 0n), 0n);
  return { valueUsd: sum(({ value }) => value), exitUsd: sum(({ exit }) => exit) };
}

/**
 * Wallets in order, which all of a window's rows decide: they are read once for all requests within a while, and a cursor pins the
 * view. What the first ones hold is read ahead of the requests. Invariant: what it gives is the order at one view, which it names.
 */
@Injectable()
export class TopWalletRankings {
  private readonly kept = new Map<string, StaleWhileRevalidate<TopWallets>>();

  constructor(@Inject(LOGGER) private readonly logger: HttpLogger) {}

  /** The order of a moment ago, or of now. */
  current(reader: ChainReader, asked: TopWalletsAsked): Promise<TopWallets> {
    const key = keyOf(reader.chain.slug, asked);
    let known = this.kept.get(key);
    if (known === undefined) {
      known = new StaleWhileRevalidate({
        view: () => reader.view(),
        read: (view) => rankingAt(view, asked, KEPT_WALLETS),
        prepare: (next, before) => next.prepare(before),
        ...{ name: `top wallets (${key})`, logger: this.logger },
      });
      this.kept.set(key, known);
    }
    return known.current();
  }

  /** The first `count` wallets at a view that a cursor pins. */
  at(view: ChainView, asked: TopWalletsAsked, count: number): Promise<TopWallets> {
    const newest = count <= KEPT_WALLETS ? this.kept.get(keyOf(view.chain.slug, asked))?.at(view) : null;
    return newest ? Promise.resolve(newest) : rankingAt(view, asked, count);
  }
}

const keyOf = (chain: string, { window, sort }: TopWalletsAsked): string => `${chain}, ${window} by ${sort}`;

async function rankingAt(view: ChainView, { window, sort }: TopWalletsAsked, count: number): Promise<TopWallets> {
  const fromHour = Math.max(0, Math.floor(view.head.time / HOUR_MS) - HOURS[window] + 1);
  return new TopWallets(view, await readTopWallets(view, fromHour, sort, count));
}
