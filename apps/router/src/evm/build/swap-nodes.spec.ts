import { createLogger, silentLogger } from '#libs/platform/logger.js';
import type { HttpProblem } from '#libs/serve/http/problem.js';
import { BuildChain, minedWell } from './test/build-chain.js';
import { type QuotedRequest, TestBuilder, type TestBuilderOptions } from './test/open-builder.js';
import { type ProxiedCall, RpcProxy } from './test/rpc-proxy.js';

const live = new AbortController().signal;
/** Nothing listens there. */
const NOBODY = 'http://127.0.0.1:9';

describe('the nodes behind a build', () => {
  let local: BuildChain;
  let proxy: RpcProxy;
  const builders: TestBuilder[] = [];

  beforeAll(async () => {
    local = await BuildChain.open('eth');
  });

  beforeEach(async () => {
    proxy = await RpcProxy.open(local.chain.rpcUrl);
  });

  afterEach(async () => {
    for (const builder of builders.splice(0)) await builder.close();
    await proxy.close();
  });

  afterAll(() => local?.close());

  const open = (rpcUrls: string[], rest: Partial<TestBuilderOptions> = {}): TestBuilder => {
    const builder = new TestBuilder({ chain: local.spec, rpcUrls, logger: silentLogger, ...rest });
    builders.push(builder);
    return builder;
  };
  const request = async (): Promise<QuotedRequest> => ({
    quote: await local.quote(local.hops('v2', 'HRBR', 'WETH'), 10n ** 18n, { slippageBps: 500 }),
    wallet: local.wallet,
    recipient: null,
    slippageBps: null,
    deadlineSeconds: 300,
  });
  const failure = async (promise: Promise<unknown>): Promise<HttpProblem> =>
    promise.then(
      () => {
        throw new Error('it was built');
      },
      (error: HttpProblem) => error,
    );
  const head = (): Promise<{ hash: string }> => local.chain.rpc.call('eth_getBlockByNumber', ['latest', false]);

  it('are 503 together when none answers', async () => {
    const problem = await failure(open([NOBODY, 'http://127.0.0.1:11']).build(await request(), live));
    expect([problem.status, problem.code, problem.message]).toEqual([503, 'rpc', 'no node of eth answered; try again']);
    expect(problem.headers).toEqual({ 'retry-after': '1' });
  });

  it('stand in for one another: nobody there, no answer, nonsense, a failure in the middle', async () => {
    const answers: ((call: ProxiedCall) => ReturnType<RpcProxy['interfere']>)[] = [
      () => 'hang',
      () => ({ result: 'nonsense' }),
      ({ method, params }) =>
        method === 'eth_simulateV1' || params.length === 3
          ? { error: { code: -32000, message: 'internal error' } }
          : null,
      ({ method }) => (method === 'eth_simulateV1' ? { result: [{ calls: [] }] } : null),
      ({ method }) => (method === 'eth_simulateV1' ? 'hang' : null),
      ({ method }) => (method === 'eth_getBlockByNumber' ? { result: null } : null),
    ];
    for (const interfere of answers) {
      proxy.interfere = interfere;
      const answer = await open([proxy.url, local.chain.rpcUrl], { exchangeMs: 2_000 }).build(await request(), live);
      expect(answer.simulation.blockHash).toBe((await head()).hash);
      expect(proxy.seen.length).toBeGreaterThan(0);
    }
    expect((await open([NOBODY, local.chain.rpcUrl]).build(await request(), live)).setupTransactions).toHaveLength(1);
  });

  it('carry many builds at once, half of them failing on the first node', async () => {
    let calls = 0;
    proxy.interfere = ({ method }) =>
      method === 'eth_simulateV1' && calls++ % 2 === 0 ? { error: { code: -32000, message: 'internal error' } } : null;
    const builder = open([proxy.url, local.chain.rpcUrl]);
    const asked = await request();
    const answers = await Promise.all(Array.from({ length: 24 }, () => builder.build(asked, live)));
    const { hash } = await head();
    expect(new Set(answers.map(({ simulation }) => simulation.blockHash))).toEqual(new Set([hash]));
    expect(calls).toBeGreaterThan(0);
  });

  it('that serve another chain are not used', async () => {
    proxy.interfere = ({ method }) => (method === 'eth_chainId' ? { result: '0x38' } : null);
    const problem = await failure(open([proxy.url]).build(await request(), live));
    expect([problem.status, problem.code]).toEqual([503, 'rpc']);
    expect(proxy.seen).toEqual(['eth_chainId']);
    await open([proxy.url, local.chain.rpcUrl]).build(await request(), live);
  });

  it('are asked again when they come back', async () => {
    proxy.interfere = () => ({ error: { code: -32000, message: 'starting' } });
    const builder = open([proxy.url]);
    for (let n = 0; n < 3; n++) expect((await failure(builder.build(await request(), live))).status).toBe(503);
    proxy.interfere = () => null;
    for (;;) {
      const answer = await builder.build(await request(), live).catch((error: HttpProblem) => error);
      if (!(answer instanceof Error)) break;
      expect(answer.code).toBe('rpc');
    }
  });

  it('that retract the head under a build are asked for the new one', async () => {
    const stale = ['header not found', 'Resource not found', 'unknown block'];
    for (const message of stale) {
      let times = 0;
      proxy.interfere = ({ method }) =>
        method === 'eth_simulateV1' && times++ === 0 ? { error: { code: -32000, message } } : null;
      const answer = await open([proxy.url]).build(await request(), live);
      expect(answer.simulation.blockHash).toBe((await head()).hash);
      expect(times).toBe(2);
    }
    proxy.interfere = ({ method }) =>
      method === 'eth_simulateV1' ? { error: { code: -32000, message: 'header not found' } } : null;
    expect((await failure(open([proxy.url]).build(await request(), live))).code).toBe('rpc');
  });

  it('without any way to simulate are 503, never a guess', async () => {
    proxy.interfere = ({ method, params }) => {
      if (method === 'eth_simulateV1') return { error: { code: -32601, message: 'Method not found' } };
      // A node that overlooks the third parameter calls an account without code.
      return method === 'eth_call' && params.length === 3 ? { result: '0x' } : null;
    };
    const builder = open([proxy.url]);
    expect((await failure(builder.build(await request(), live))).code).toBe('rpc');
    expect(builder.simulation()).toBe('unknown');
    const helped = open([proxy.url, local.chain.rpcUrl]);
    expect((await helped.build(await request(), live)).simulation.blockHash).toBe((await head()).hash);
    expect(helped.simulation()).toBe('eth_simulateV1');
  });

  it('are asked for eth_simulateV1 once', async () => {
    proxy.interfere = ({ method }) =>
      method === 'eth_simulateV1' ? { error: { code: -32601, message: 'Method not found' } } : null;
    const builder = open([proxy.url]);
    for (let n = 0; n < 3; n++) await builder.build(await request(), live);
    expect(proxy.seen.filter((method) => method === 'eth_simulateV1')).toHaveLength(1);
    expect(builder.simulation()).toBe('eth_call');
  });

  it('that refuse eth_simulateV1 in words of their own are asked by eth_call, and soon at once', async () => {
    proxy.interfere = ({ method }) =>
      method === 'eth_simulateV1' ? { error: { code: -32012, message: 'upgrade your plan' } } : null;
    const builder = open([proxy.url]);
    const asked = await request();
    for (let n = 0; n < 6; n++) {
      expect((await builder.build(asked, live)).simulation.blockHash).toBe((await head()).hash);
    }
    expect(proxy.seen.filter((method) => method === 'eth_simulateV1')).toHaveLength(3);
    expect(builder.simulation()).toBe('eth_call');
  });

  it('that charge for more than running a transaction have it in every limit', async () => {
    const plain = await open([local.chain.rpcUrl]).build(await request(), live);
    proxy.interfere = ({ method }) => (method === 'eth_estimateGas' ? { result: '0x1e8480' } : null);
    const dear = await open([proxy.url]).build(await request(), live);
    expect(Number(dear.setupTransactions[0]!.gas)).toBeGreaterThan(2_000_000);
    const more = Number(dear.swapTransaction.gas) - Number(plain.swapTransaction.gas);
    expect(more).toBeGreaterThan(2_000_000);
  });

  it('that refuse only the real first transaction overrule the bundle', async () => {
    proxy.interfere = ({ method }) => {
      if (method === 'eth_simulateV1') return { error: { code: -32601, message: 'Method not found' } };
      if (method !== 'eth_estimateGas') return null;
      return { error: { code: 3, message: 'execution reverted: accounts only' } };
    };
    const problem = await failure(open([proxy.url]).build(await request(), live));
    expect([problem.status, problem.code]).toEqual([409, 'simulation_failed']);
    expect(problem.message).toContain('refuses the approval: accounts only');
  });

  it('are left alone once the caller gave up, and on close', async () => {
    proxy.interfere = () => 'hang';
    const builder = open([proxy.url]);
    const caller = new AbortController();
    const reason = new Error('cut');
    const cut = failure(builder.build(await request(), caller.signal));
    caller.abort(reason);
    expect(await cut).toBe(reason);
    const closed = failure(builder.build(await request(), live));
    await builder.close();
    expect((await closed).code).toBe('rpc');
  });

  it('keep the keys of their URLs', async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: 'debug', format: 'json', write: (line) => lines.push(line) });
    const url = `${proxy.url}/v3/5ec4e7-k37?key=qu3ry-5ec4e7`;
    const texts: string[] = [];
    for (const message of [`failed at ${url}`, `execution reverted: see ${url}`, `method not found at ${url}`]) {
      proxy.interfere = ({ method }) => (method === 'eth_chainId' ? null : { error: { code: -32000, message } });
      texts.push((await failure(open([url], { logger }).build(await request(), live))).message);
    }
    texts.push(...lines);
    expect(lines.length).toBeGreaterThan(0);
    for (const text of texts) expect(text).not.toMatch(/5ec4e7|qu3ry|127\.0\.0\.1/);
  });

  it('decide by their head alone, whatever became of the block of the quote', async () => {
    for (let n = 0; n < 3; n++) await local.chain.mine();
    const asked = await request();
    await local.chain.reorg(2);
    const answer = await open([local.chain.rpcUrl]).build(asked, live);
    expect((await head()).hash).not.toBe(asked.quote.blockHash);
    expect(answer.simulation.blockHash).toBe((await head()).hash);
    expect(answer.quoteResponse.blockHash).toBe(asked.quote.blockHash);
    const { received, receipts } = await local.execute(answer);
    expect(minedWell(receipts)).toBe(true);
    expect(received.toString()).toBe(answer.simulation.outAmount);
  });
});
