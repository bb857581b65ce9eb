import { PoolAnswer, PoolPath } from '#libs/serve/contract/rest/pool-body.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { notFound } from '#libs/serve/http/problem.js';
import { readPool } from '#libs/serve/reader/read-pool.js';
import { AnswerCache } from '../access/answer-cache.js';
import { marketRoute, unknownPool } from '../access/api-errors.js';
import { ChainAccess, poolParameter } from '../access/chain-access.js';
import { scopeOf } from '../access/scope.js';
import { metaOf } from '../rows/display.js';
import { poolRow } from './pool-row.js';

@Route({
  ...marketRoute('read', unknownPool),
  id: 'getPool',
  path: '/pools/:chain/:address',
  summary: 'One pool with both of its tokens',
  description:
    '`price` is the pool’s own; the price of a token on every route is that of the pool that sets it (`setsPrice`).',
  parameters: PoolPath,
  answer: PoolAnswer,
})
export class PoolRoute implements RouteHandler<PoolPath> {
  constructor(
    private readonly access: ChainAccess,
    private readonly cache: AnswerCache,
  ) {}

  async handle({ path }: RouteInput<PoolPath, object>): Promise<Answer> {
    const reader = this.access.reader(path.chain);
    const pool = poolParameter(reader, 'address', path.address);
    const view = reader.view();
    return this.cache.answer(view, scopeOf('pool', pool, {}), async (): Promise<PoolAnswer> => {
      const state = await readPool(view, pool);
      if (state === null) {
        throw notFound(`pool ${reader.chain.ids.formatAddress(pool)} is not known on ${reader.chain.slug}`);
      }
      return { data: poolRow(view, state), meta: metaOf(view) };
    });
  }
}
