import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { until } from '#libs/devkit/testing/until.js';
import { IncompleteBlockError } from './known-outcomes.js';
import { SolanaPool } from './node-pool.js';
import { randomBlock } from './test/random-block.js';

type Meta = Record<string, unknown> | null;

/** Nodes that all answer with one block, each altered in its own way. */
describe('outcomes that a node does not tell', () => {
  const servers: Server[] = [];
  let asked: number[];
  const pools: SolanaPool[] = [];
  /** How long a node is not asked after it failed. */
  let coolDownMs: number;
  beforeEach(() => {
    coolDownMs = 1;
  });
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.close()));
    await Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done))));
  });

  async function poolOf(...alter: ((meta: Meta) => Meta)[]): Promise<SolanaPool> {
    const block = randomBlock(new SeededRandom(5), { transactions: 3, votes: 0, odd: false });
    const transactions = block.transactions as { meta: Meta }[];
    asked = alter.map(() => 0);
    const urls: string[] = [];
    for (const [node, change] of alter.entries()) {
      const result = {
        ...{ ...block, parentSlot: 6 },
        transactions: transactions.map((entry, n) => (n === 1 ? { ...entry, meta: change(entry.meta) } : entry)),
      };
      const server = createServer((request, response) => {
        asked[node]!++;
        let body = '';
        request.on('data', (data) => {
          body += data;
        });
        request.on('end', () => {
          const call = JSON.parse(body);
          const { id } = Array.isArray(call) ? call[0] : call;
          const answer = { jsonrpc: '2.0', result, id };
          response.setHeader('content-type', 'application/json');
          response.end(JSON.stringify(Array.isArray(call) ? [answer] : answer));
        });
      });
      servers.push(server);
      await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
      urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    }
    const pool = new SolanaPool({ urls, coolDownMs, maxCoolDownMs: 2 * coolDownMs });
    pools.push(pool);
    return pool;
  }

  const fetched = async (of: SolanaPool, signal?: AbortSignal, take = false) =>
    (await of.use((endpoint) => endpoint.block(7, signal, take), signal)).block;
  const block = async (of: SolanaPool, signal?: AbortSignal) =>
    (await fetched(of, signal)).transactions.map(({ index }) => index);
  const whole = (meta: Meta): Meta => meta;
  const none = (): Meta => null;
  const succeeded = (meta: Meta): Meta => ({ ...meta, err: null, innerInstructions: null });

  it('are asked of another node', async () => {
    coolDownMs = 3_600_000;
    expect(await block(await poolOf(none, whole))).toEqual([0, 1, 2]);
    expect(asked).toEqual([1, 1]);
  });

  it('are left out once every node was asked again and again: the chain goes on', async () => {
    expect(await block(await poolOf(none, none))).toEqual([0, 2]);
    expect(asked[0]! + asked[1]!).toBe(8);
  });

  it('are asked of another node where calls were not recorded, and never taken for none', async () => {
    expect(await block(await poolOf(succeeded, whole))).toEqual([0, 1, 2]);
    const alone = await poolOf(succeeded);
    const abort = new AbortController();
    const asking = block(alone, abort.signal);
    await until(() => asked[0]! >= 12, { everyMs: 0 });
    abort.abort();
    await expect(asking).rejects.toThrow();
    expect(alone.problemOf(alone.endpoints[0]!)!.message).toContain('does not record them');
  });

  it('that no node tells are taken as they are at the word of the reader, and marked', async () => {
    const told = await fetched(await poolOf(succeeded, succeeded), undefined, true);
    expect(told.transactions.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(told.incomplete).toBe(true);
    expect(asked[0]! + asked[1]!).toBe(8);
    expect((await fetched(await poolOf(succeeded, whole), undefined, true)).incomplete).toBeUndefined();
  });

  it('that no node tells are named', async () => {
    const named: number[] = [];
    const pool = await poolOf(succeeded);
    const abort = new AbortController();
    const asking = pool.use(async (endpoint) => {
      try {
        return await endpoint.block(7, abort.signal);
      } catch (error) {
        if (error instanceof IncompleteBlockError && error.everywhere) named.push(error.slot);
        throw error;
      }
    }, abort.signal);
    await until('the slot is named', () => named.length > 0, { everyMs: 0 });
    abort.abort();
    await expect(asking).rejects.toThrow();
    expect(named[0]).toBe(7);
    expect(asked[0]!).toBeGreaterThanOrEqual(4);
  });

  it('are not needed of a transaction that failed', async () => {
    const failed = (meta: Meta): Meta => ({ ...meta, err: 'x', innerInstructions: null });
    expect(await block(await poolOf(failed))).toEqual([0, 1, 2]);
  });
});
