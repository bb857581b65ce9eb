import type { Hex } from '#libs/core/ids.js';
import { bucketEnd, type Interval, isInterval } from '#libs/pipeline/fold/candles.js';
import { type CandleBody, CandlesAnswer } from '#libs/serve/contract/rest/candle-body.js';
import { TokenPath } from '#libs/serve/contract/rest/path-parameters.js';
import { CandlesQuery } from '#libs/serve/contract/rest/queries.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { badRequest as refuse } from '#libs/serve/http/problem.js';
import type { ChainView } from '#libs/serve/reader/chain-view.js';
import { poolAt } from '#libs/serve/reader/primary-pool.js';
import { type CandlePage, readCandles } from '#libs/serve/reader/read-candles.js';
import { readCandleInputs } from '#libs/serve/reader/read-inputs.js';
import { marketRoute, unknownToken } from '../access/api-errors.js';
import { ChainAccess, poolFilterOf } from '../access/chain-access.js';
import { Pages } from '../access/pages.js';
import { scopeOf } from '../access/scope.js';
import { checkRange, mustKnow, tokenSubject } from '../access/token-subject.js';
import { metaOf } from '../rows/display.js';
import { candleInputs } from '../rows/input-rows.js';
import { candleRow } from './candle-rows.js';

/** Candles of one page whose trades are named. */
const MOST_EXPLAINED = 20;

function mustBeExplicable({ limit, currency, fill, continuous }: CandlesQuery): void {
  if (limit > MOST_EXPLAINED) throw refuse(`limit must be at most ${MOST_EXPLAINED} with explain`);
  if (currency !== 'usd')
    throw refuse('currency must be usd with explain: the price of the coin is explained by its own candles');
  if (fill || continuous)
    throw refuse('explain names the trades of a candle: it goes with neither fill nor continuous');
}

async function explainRows(
  view: ChainView,
  { token, pool, interval }: { token: Hex; pool?: Hex; interval: Interval },
  rows: CandleBody[],
): Promise<void> {
  for (const row of rows) {
    const range = { fromTime: row.time, toTime: bucketEnd(interval, row.time) };
    row.explain = candleInputs(view.chain, await readCandleInputs(view, { token, pool, ...range }));
  }
}

const NO_CANDLES: CandlePage = { candles: [], nextTo: null };

@Route({
  ...marketRoute('read', unknownToken),
  id: 'getTokenCandles',
  path: '/tokens/:chain/:address/candles',
  summary: 'Candles of a token, ascending',
  description:
    'The newest `limit` candles below `to`; `next` walks back. Prices move only by counted trades: of a pool that may set the price, not ten times away from the pool’s spot after it, worth at least 0.01 USD, and not undone by their own block (docs/spikes.md). Volumes are of all trades but the undone ones, whose volume is `loopVolumeUsd`. The prices of a stablecoin are its own price, at the ends of the blocks with a trade of it: 1 until its pools agree that it is off by more than 1 percent. A candle closes with its last counted trade, a token’s `priceUsd` is the spot at the end of the block.',
  parameters: TokenPath,
  query: CandlesQuery,
  answer: CandlesAnswer,
})
export class TokenCandlesRoute implements RouteHandler<TokenPath, CandlesQuery> {
  constructor(
    private readonly access: ChainAccess,
    private readonly pages: Pages,
  ) {}

  handle({ path, query: given }: RouteInput<TokenPath, CandlesQuery>): Promise<Answer> {
    const subject = tokenSubject(this.access, path);
    const { reader, token } = subject;
    const { cursor, limit, ...query } = given;
    checkRange(query);
    const { interval, currency, fill, continuous } = query;
    if (!isInterval(interval)) throw refuse(`interval ${interval} is not known`);
    if (query.explain) mustBeExplicable(given);
    const named = poolFilterOf(reader, query.pool);
    const scope = scopeOf(`candles:${reader.chain.slug}`, token, { ...query, pool: named });
    const asked = { scope, cursor, limit, asOfBlock: query.asOfBlock };
    return this.pages.answer<readonly [to: number]>(
      reader,
      asked,
      1,
      async ({ place, view, cursorAt }): Promise<CandlesAnswer> => {
        const [fromTime, toTime] = [query.from, place?.[0] ?? query.to];
        const pool = await poolAt(view, token, named);
        const wanted = { token, interval, fromTime, toTime, limit, currency, fill, continuous };
        const { candles, nextTo } = pool === null ? NO_CANDLES : await readCandles(view, { ...wanted, pool });
        if (candles.length === 0) await mustKnow(view, subject);
        const rows = candles.map(candleRow);
        if (query.explain) await explainRows(view, { token, pool: pool ?? undefined, interval }, rows);
        return { data: rows, next: nextTo === null ? null : cursorAt([nextTo]), meta: metaOf(view) };
      },
    );
  }
}
