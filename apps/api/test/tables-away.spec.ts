import { parse } from 'yaml';
import { seeds } from '#libs/devkit/testing/market/market-harness.js';
import { marketWith } from '#libs/devkit/testing/market/market-with.js';
import { until } from '#libs/devkit/testing/until.js';
import type { TradeFact } from '#libs/protocol/facts.js';
import { hotLimits } from '#libs/serve/reader/hot/hot-states.js';
import { ApiHarness, type Reply } from './api-harness.js';

const MINUTE = 60_000;
/** Texts, frames and pictures: none of them is read from the tables. */
const NO_DATA = /^\/(v1|openapi|asyncapi|llms|stream|ws|media|status|account)|\/image$/;

/**
 * The tables stop answering while blocks still come: every route sends its last good copy for two minutes, then the refusal of its
 * family of chains, and answers again as soon as the tables do.
 */
const [seed] = seeds(1) as [number];
describe.each(['evm', 'solana'] as const)(`tables that do not answer, of a chain of %s (seed ${seed})`, (family) => {
  // Asked for is a trade of the first half that no reorg of the second takes away: its token, pool and wallet are known throughout.
  let trade!: TradeFact;
  const market = marketWith(seed, { family, groups: 80 }, (naive, { chain, facts }) => {
    const coin = chain.wrappedNative.token;
    const trades = naive.blocks.filter(({ seq }) => seq < facts.length / 2).flatMap((block) => block.trades);
    const found = trades.findLast(({ base, volumeUsd }) => base !== coin && volumeUsd !== null);
    if (found !== undefined) trade = found;
    return found !== undefined && facts.at(-1)!.kind === 'block';
  });
  const { ids, slug } = market.chain;
  const last = market.facts.length - 1;
  const half = Math.floor(market.facts.length / 2);
  let harness: ApiHarness;
  /** By path of the document. */
  const requests = new Map<string, string>();

  beforeAll(async () => {
    // Nothing of the tables is held, so that every answer asks them.
    harness = await ApiHarness.start(market, {}, null, null, hotLimits(0));
    await harness.advance(half, half);
    const token = ids.formatAddress(trade.base);
    const wallet = ids.formatAddress(trade.wallet);
    const pool = ids.formatAddress(trade.pool);
    const queries: Record<string, string> = {
      '/tokens': `?ids=${slug}:${token}`,
      '/prices': `?tokens=${slug}:${token}`,
      '/search': `?chain=${slug}&q=${token}`,
      '/tokens/{chain}/{address}/positions': `?wallets=${wallet}`,
      '/udf/symbols': `?symbol=${slug}:${token}`,
      '/udf/search': `?query=${token}`,
      '/udf/history': `?symbol=${slug}:${token}&resolution=60&from=0&to=4000000000`,
    };
    const document = parse((await harness.get('/openapi.yaml')).text);
    for (const path of Object.keys(document.paths)) {
      if (NO_DATA.test(path) || !('401' in document.paths[path].get.responses)) continue;
      const address = path.startsWith('/wallets/') ? wallet : path.startsWith('/pools/') ? pool : token;
      const filled = path.replace('{chain}', slug).replace('{address}', address).replace('{board}', 'new');
      requests.set(path, filled + (queries[path] ?? ''));
    }
  });
  afterAll(() => harness.close());

  const askAll = async (): Promise<Map<string, Reply>> => {
    const replies = new Map<string, Reply>();
    for (const [path, request] of requests) replies.set(path, await harness.get(request));
    return replies;
  };
  const statuses = (replies: Map<string, Reply>) => [...replies].map(([path, { status }]) => ({ path, status }));
  const all = (status: number) => [...requests.keys()].map((path) => ({ path, status }));
  /** Answers that are read from the tables whatever is known already; what the process holds itself needs none. */
  const fromTables = () => [...requests.keys()].filter((path) => !HELD.test(path));
  const HELD = /^\/(chains|udf\/(config|time))$/;

  it('send the last good copy, then refuse, then answer again', async () => {
    const before = await askAll();
    expect(statuses(before)).toEqual(all(200));

    harness.faults.tablesAway = true;
    await harness.live.publish(last);
    await until('the reader has the newest block', () => harness.reader.status().seq === last);
    for (harness.faults.copiesNow of [0, MINUTE, 2 * MINUTE]) expect(statuses(await askAll())).toEqual(all(200));

    // A list may still be of the moment before: then that is its last good answer.
    for (const path of fromTables()) {
      await until(`no copy of ${path}`, async () => {
        harness.faults.copiesNow += 3 * MINUTE;
        return (await harness.get(requests.get(path)!)).status !== 200;
      });
      const { status, headers, body } = await harness.get(requests.get(path)!);
      const history = family === 'solana' && /\/(trades|candles)$/.test(path);
      const { error } = body.error === undefined ? { error: { code: body.s, message: body.errmsg } } : body;
      expect({ path, status, retry: headers.get('retry-after'), ...error }).toEqual({
        ...{ path, status: history ? 503 : 502, retry: history ? '2' : null },
        ...{
          code: path.startsWith('/udf/') ? 'error' : 'upstream_unavailable',
          message: 'the tables do not answer now',
        },
      });
    }

    harness.faults.tablesAway = false;
    expect(statuses(await askAll())).toEqual(all(200));
    expect(harness.problems).toEqual([]);
  });
});
