import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';

@Route({
  id: 'getUdfTime',
  method: 'GET',
  path: '/udf/time',
  summary: 'Time of the server for a chart of TradingView',
  answer: { mediaType: 'text/plain', description: 'Unix seconds.', example: '1767225600' },
  errors: [],
  access: 'keyed',
  cost: 'status',
  cache: 'no-store',
})
export class UdfTimeRoute implements RouteHandler {
  handle(): Answer {
    return new Answer(String(Math.floor(Date.now() / 1000)), 'text/plain; charset=utf-8');
  }
}
