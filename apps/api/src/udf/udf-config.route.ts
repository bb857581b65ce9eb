import { statusRoute } from '#libs/serve/contract/common-routes.js';
import { UdfConfigAnswer } from '#libs/serve/contract/rest/udf-body.js';
import { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import { ChainAccess } from '../access/chain-access.js';
import { resolutions } from './udf-resolutions.js';

@Route({
  ...statusRoute,
  id: 'getUdfConfig',
  path: '/udf/config',
  summary: 'What a chart of TradingView may ask for',
  description:
    'The routes under `/udf` are a feed as TradingView’s charting library asks for it: times in seconds, errors as `{s: "error", errmsg}`. Give the library `{api_url}/udf` and the key as `apiKey` or in a header.',
  answer: UdfConfigAnswer,
})
export class UdfConfigRoute implements RouteHandler {
  constructor(private readonly access: ChainAccess) {}

  handle(): Answer {
    const chains = this.access.all().map(({ chain: { slug, name } }) => ({ value: slug, name, desc: name }));
    const body: UdfConfigAnswer = {
      supports_search: true,
      supports_group_request: false,
      supports_marks: false,
      supports_timescale_marks: false,
      supports_time: true,
      exchanges: [{ value: '', name: 'All chains', desc: '' }, ...chains],
      symbols_types: [{ name: 'Crypto', value: 'crypto' }],
      supported_resolutions: [...resolutions],
    };
    return Answer.json(body);
  }
}
