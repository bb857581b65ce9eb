import { tokenUsd } from '#libs/pipeline/fold/token-values.js';
import { TokenPath } from '#libs/serve/contract/rest/path-parameters.js';
import { PositionsAnswer } from '#libs/serve/contract/rest/profit-body.js';
import { PositionsQuery } from '#libs/serve/contract/rest/profit-queries.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { badRequest as refused } from '#libs/serve/http/problem.js';
import { readPositions } from '#libs/serve/reader/read-positions.js';
import { readPrices, readTokenRecords } from '#libs/serve/reader/read-prices.js';
import { AnswerCache } from '../access/answer-cache.js';
import { marketRoute, unknownToken } from '../access/api-errors.js';
import { addressParameter, ChainAccess } from '../access/chain-access.js';
import { scopeOf } from '../access/scope.js';
import { tokenSubject, unknownTokenOf, viewFor } from '../access/token-subject.js';
import { metaOf } from '../rows/display.js';
import { positionRow, valuationOfToken } from '../rows/profit-rows.js';

const MOST_WALLETS = 10;
const COVERED_MS = 365 * 86_400_000;

@Route({
  ...marketRoute('read', unknownToken),
  id: 'getTokenPositions',
  path: '/tokens/:chain/:address/positions',
  summary: 'What some wallets did with a token and have of it',
  description:
    'Average cost in USD at the block of each trade; a trade is that of the wallet that it names. Covers wallets that traded the token in the last 365 days, each from its first trade on: any other shows its balance, without a cost.',
  parameters: TokenPath,
  query: PositionsQuery,
  answer: PositionsAnswer,
})
export class TokenPositionsRoute implements RouteHandler<TokenPath, PositionsQuery> {
  constructor(
    private readonly access: ChainAccess,
    private readonly cache: AnswerCache,
  ) {}

  async handle({ path, query }: RouteInput<TokenPath, PositionsQuery>): Promise<Answer> {
    const { reader, token } = tokenSubject(this.access, path);
    const texts = query.wallets.split(',').map((text) => text.trim());
    if (query.wallets.trim() === '' || texts.length > MOST_WALLETS) {
      throw refused(`wallets must name 1 to ${MOST_WALLETS} addresses, separated by commas`);
    }
    const wallets = [...new Set(texts.map((text) => addressParameter(reader, 'wallets', text)))];
    const view = await viewFor(reader, undefined, query.asOfBlock);
    const { chain, head } = view;
    const scope = scopeOf(`positions:${chain.slug}`, token, { wallets, asOfBlock: query.asOfBlock });
    return this.cache.answer(view, scope, async (): Promise<PositionsAnswer> => {
      const record = (await readTokenRecords(view, [token])).get(token);
      if (record === undefined) throw unknownTokenOf(reader, token);
      const [prices, { positions, amountOf, unknown }] = await Promise.all([
        readPrices(view, [token]),
        readPositions(view, token, wallets),
      ]);
      const valuation = valuationOfToken(record, tokenUsd(prices, token), head.time);
      return {
        data: wallets.map((wallet) => {
          const position = positions.get(wallet);
          const covered = position !== undefined && position.lastTradeAt > head.time - COVERED_MS;
          const held = { position: covered ? position : undefined, amount: amountOf(wallet), unknown };
          return positionRow(chain, wallet, held, valuation);
        }),
        meta: metaOf(view),
      };
    });
  }
}
