import { BoardAnswer, BoardPath, BoardQuery } from '#libs/serve/contract/rest/launchpad-body.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler, type RouteInput } from '#libs/serve/http/declared-route.js';
import { marketRoute, unknownBoard } from '../access/api-errors.js';
import { MarketLists } from './market-lists.js';

@Route({
  ...marketRoute('list', unknownBoard),
  id: 'getLaunchpadBoard',
  path: '/launchpad/:board',
  summary: 'Tokens of launchpads: new, graduating or graduated',
  description:
    'A list is read from the state of a moment ago, which `meta` names; a cursor pins it. A chain that cannot be served now is left out of a list over all chains.',
  parameters: BoardPath,
  query: BoardQuery,
  answer: BoardAnswer,
})
export class LaunchpadRoute implements RouteHandler<BoardPath, BoardQuery> {
  constructor(private readonly lists: MarketLists) {}

  handle({ path, query }: RouteInput<BoardPath, BoardQuery>): Promise<Answer> {
    return this.lists.board(path.board, query);
  }
}
