import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { RpcPool } from '#libs/chain/chains/evm/rpc/rpc-pool.js';
import { NodeJournal } from './node-journal.js';
import { nodeProblem, nodesVariable } from './node-problem.js';

/** Real failures of real servers, through the pool, as an operator reads them. */
describe('words for what is wrong with a node', () => {
  const SECRET = 'k3yk3yk3yk3yk3yk3y';
  const closers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  async function serve(reply: (response: ServerResponse) => void): Promise<string> {
    const server: Server = createServer((request, response) => {
      request.resume();
      request.on('end', () => reply(response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/${SECRET}`;
  }

  /** A port without a listener. */
  async function deadUrl(): Promise<string> {
    const server = createNetServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return `http://127.0.0.1:${port}/v2/${SECRET}`;
  }

  /** What is said of a node that fails before a good one answers. */
  async function problemOf(url: string, timeoutMs = 200_000): Promise<string> {
    const good = await serve((response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}'));
    const pool = new RpcPool({
      ...{ urls: [url, good], chainId: 1, timeoutMs, coolDownMs: 60_000, maxCoolDownMs: 60_000 },
      rateLimitRetries: 0,
    });
    closers.push(() => pool.close());
    await pool.use(async () => undefined);
    const problem = pool.problemOf(pool.endpoints[0]!)!;
    expect(problem).not.toBeNull();
    expect(pool.problemOf(pool.endpoints[1]!)).toBeNull();
    const { what, next } = nodeProblem(problem.kind, problem.message, nodesVariable('eth'));
    const text = `${what}; ${next}`;
    expect(text).not.toContain(SECRET);
    expect(text).not.toMatch(/127\.0\.0\.1|localhost|http:/);
    return text;
  }

  const json = (response: ServerResponse, body: object) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }));

  it('says what a server does and what to do about it', async () => {
    expect(await problemOf(await deadUrl())).toMatch(/^refuses connections; .*TIDEPOOL_RPC_ETH/);
    const cases: [(response: ServerResponse) => void, RegExp][] = [
      [(response) => json(response, { result: '0x5' }), /^serves chain id 5 instead of 1; .*correct TIDEPOOL_RPC_ETH/],
      [(response) => response.writeHead(401).end('no'), /^refuses the key \(HTTP 401\); correct the key/],
      [(response) => response.writeHead(404).end('no'), /^has no JSON-RPC under this path \(HTTP 404\)/],
      [(response) => response.writeHead(502).end('no'), /^answers HTTP 502; it is tried again/],
      [(response) => response.writeHead(429).end('no'), /^answers that it gets too many requests; /],
      [(response) => response.end('<html>a page</html>'), /^gives answers that are no JSON-RPC/],
      [(response) => response.socket!.destroy(), /^ends its connections; /],
      [
        (response) => json(response, { error: { code: -32000, message: `see https://node.example.org/${SECRET}` } }),
        /^answers with an error \(.*\); it is tried again/,
      ],
    ];
    for (const [reply, words] of cases) expect(await problemOf(await serve(reply))).toMatch(words);
    expect(await problemOf(await serve(() => undefined), 2_000)).toMatch(/^does not answer in time; /);
  });

  it('names a host that cannot be resolved without naming it', async () => {
    const text = await problemOf(`http://${SECRET}.invalid/`);
    expect(text).toMatch(/^has a host name that cannot be resolved; /);
  });

  it('explains stale, pruned and contradicting nodes', () => {
    const say = (kind: string, message: string) => nodeProblem(kind, message, 'TIDEPOOL_RPC_BASE').what;
    expect(say('server', 'rpc endpoint 2: stale head 5, another node is at 9')).toBe(
      'stopped following the chain at block 5, while another node is at 9',
    );
    expect(nodeProblem('pruned', 'missing trie node', 'TIDEPOOL_RPC_BASE')).toEqual({
      what: 'has no old blocks or state (a pruned node)',
      next: 'put an archive node into TIDEPOOL_RPC_BASE, or start later with TIDEPOOL_START_BASE',
    });
    expect(say('inconsistent-response', 'rpc endpoint 1: another genesis block')).toBe(
      'serves another chain: its first block differs',
    );
    expect(say('inconsistent-response', `rpc endpoint 1: bloom of ${'ab'.repeat(20)} from a.b.example:80/x`)).toBe(
      'contradicted itself (bloom of [hidden] from [address])',
    );
  });

  it('is told once, again after a while, and its end too', () => {
    const lines: string[] = [];
    let now = 0;
    const say = (_fields: object, message: string) => void lines.push(message);
    const journal = new NodeJournal('eth', { info: say, warn: say }, () => now);
    for (let i = 0; i < 50; i++) journal.failed(1, 'transport', 'rpc endpoint 2: ECONNREFUSED');
    journal.failed(1, 'server', 'rpc endpoint 2: stale head 5, another node is at 9');
    journal.failed(1, 'server', 'rpc endpoint 2: stale head 6, another node is at 10');
    now = 300_000;
    journal.failed(1, 'server', 'rpc endpoint 2: stale head 7, another node is at 11');
    journal.recovered(1);
    journal.recovered(1);
    journal.recovered(0);
    expect(lines.map((line) => line.split(';')[0])).toEqual([
      'node 2 refuses connections',
      'node 2 stopped following the chain at block 5, while another node is at 9',
      'node 2 stopped following the chain at block 7, while another node is at 11',
      'node 2 answers again',
    ]);
  });
});
