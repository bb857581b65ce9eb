import { Inject, Injectable } from '@nestjs/common';
import type { HttpLogger } from '#libs/http/listener.js';
import { HOUR_MS } from '#libs/projections/wallet-profits/projection.js';
import type { ChainReader } from '#libs/reader/chain-reader.js';
import type { ChainView } from '#libs/reader/chain-view.js';
import { readTopWallets } from '#libs/reader/read-top-wallets.js';
import type { ProfitOrder, ProfitSum } from '#libs/store/market/profit-reads.js';
import { LOGGER } from '../access/api-deps.js';
import { KeptReading } from '../access/kept-reading.js';

const HOURS = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24 } as const;
/** Wallets of the newest ranking: two of the longest pages. */
const KEPT_WALLETS = 401;

export interface TopWalletsAsked {
  readonly window: keyof typeof HOURS;
  readonly sort: ProfitOrder;
}

/** The first wallets of a chain at one view. */
export interface TopWallets {
  readonly view: ChainView;
  readonly sums: readonly ProfitSum[];
}

/**
 * Wallets in order, which all of a window's rows decide: they are read once for all requests within a while, and a cursor pins the
 * view. Invariant: what it gives is the order at one view, which it names.
 */
@Injectable()
export class TopWalletRankings {
  private readonly kept = new Map<string, KeptReading<TopWallets>>();

  constructor(@Inject(LOGGER) private readonly logger: HttpLogger) {}

  /** The order of a moment ago, or of now. */
  current(reader: ChainReader, asked: TopWalletsAsked): Promise<TopWallets> {
    const key = keyOf(reader.chain.slug, asked);
    let known = this.kept.get(key);
    if (known === undefined) {
      known = new KeptReading({
        view: () => reader.view(),
        read: (view) => rankingAt(view, asked, KEPT_WALLETS),
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
  return { view, sums: await readTopWallets(view, fromHour, sort, count) };
}
