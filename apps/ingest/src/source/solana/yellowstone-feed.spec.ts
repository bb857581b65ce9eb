import { geyserBlock, told } from '#libs/chain/chains/solana/geyser/test/geyser-messages.js';
import { GeyserServer } from '#libs/chain/chains/solana/geyser/test/geyser-server.js';
import type { Json } from '#libs/chain/chains/solana/malformed.js';
import type { RawBlockPush } from '#libs/chain/chains/solana/rpc/block-feed.js';
import { type NodeBlock, readEntries, readNodeHeader } from '#libs/chain/chains/solana/rpc/node-block.js';
import { type LocalSolana, startLocalSolana } from '#libs/devkit/devnet/solana/local-solana.js';
import { rpcCall } from '#libs/devkit/devnet/solana/test/rpc-call.js';
import { ProgramChain } from '#libs/devkit/testing/solana/program-chain.js';
import { SwapMarket } from '#libs/devkit/testing/solana/swap-market.js';
import { until } from '#libs/devkit/testing/until.js';
import { idOf } from '#programs/instruction.js';
import { YellowstoneFeed, type YellowstoneOptions } from './yellowstone-feed.js';

/** A feed that is read into a list. */
class Reading {
  readonly pushes: RawBlockPush[] = [];
  readonly feed: YellowstoneFeed;
  private readonly abort = new AbortController();
  private readonly done: Promise<void>;

  constructor(options: YellowstoneOptions) {
    const feed = new YellowstoneFeed({ retryMs: 20, maxRetryMs: 100, ...options });
    this.feed = feed;
    this.done = (async () => {
      for await (const push of feed.blocks(this.abort.signal)) this.pushes.push(push);
    })();
  }

  /** Kinds of the pushes, blocks by their slot. */
  get kinds(): (string | number)[] {
    return this.pushes.map((push) => (push.kind === 'block' ? push.block.slot : push.kind));
  }

  get blocks(): NodeBlock[] {
    return this.pushes.flatMap((push) => (push.kind === 'block' ? [push.block] : []));
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.done;
  }
}

const config = { encoding: 'json', maxSupportedTransactionVersion: 0, rewards: false, commitment: 'confirmed' };

/** What a node says of the block of a slot. */
async function answerOf(chain: LocalSolana, slot: number): Promise<Json> {
  return (await rpcCall(chain.rpcUrl, 'getBlock', slot, config)).result as Json;
}

/** The same as the source reads it of a node. */
function nodeBlock(slot: number, answer: Json): NodeBlock {
  const entries = (answer.transactions as Json[]).map((entry, index) => ({ index, entry }));
  return { ...readNodeHeader(slot, answer)!, ...readEntries(entries, entries.length) };
}

const plain = (block: NodeBlock): object => ({
  ...block,
  transactions: block.transactions.map(({ index, tx }) => ({ index, tx: told(tx) })),
});

describe('over a real chain', () => {
  test('blocks are those that a node tells, a route through a pool in them', async () => {
    const world = await ProgramChain.start();
    const server = await GeyserServer.listen();
    const reading = new Reading({ urls: [server.url] });
    try {
      await server.subscribed();
      const first = ((await rpcCall(world.chain.rpcUrl, 'getSlot', { commitment: 'confirmed' })).result as number) + 1;
      const user = await world.wallet('user', 5_000_000_000n);
      const market = await SwapMarket.make(world, user);
      const program = await world.run('deploy', '--keypair', user.path, '--json');
      const address = (JSON.parse(program.out) as { program: string }).program;
      const at = ['--program', address, '--keypair', user.path];
      await world.run('init', '--max-fee-bps', '0', ...at);
      await world.run('venue', 'add', market.amm, '--kind', 'pool', ...at);
      await market.swap(idOf(address), 1_000_000n);
      world.slots(2);
      const last = (await rpcCall(world.chain.rpcUrl, 'getSlot', { commitment: 'confirmed' })).result as number;
      const expected: NodeBlock[] = [];
      for (let slot = first; slot <= last; slot++) {
        const answer = await answerOf(world.chain, slot);
        server.publish({ block: geyserBlock(slot, answer) });
        expected.push(nodeBlock(slot, answer));
      }
      await until(() => reading.blocks.length === expected.length);
      expect(reading.kinds).toEqual(['gap', ...expected.map(({ slot }) => slot)]);
      expect(reading.blocks.map(plain)).toEqual(expected.map(plain));
      const all = reading.blocks.flatMap(({ transactions }) => transactions.map(({ tx }) => tx));
      expect(all.some((tx) => tx.instructions.some(({ depth }) => depth === 3) && tx.tokensAfter.length > 2)).toBe(
        true,
      );
      const [push] = reading.pushes.filter(({ kind }) => kind === 'block');
      expect(Math.abs(Date.now() - (push as { observedAt: number }).observedAt)).toBeLessThan(60_000);
      expect(server.requests[0]).toMatchObject({
        blocks: { blocks: { includeTransactions: true } },
        commitment: 'CONFIRMED',
      });
    } finally {
      await reading.stop();
      server.close();
      await world.stop();
    }
  });

  test('a fork, a stream that ends, and an endpoint that is gone for a while', async () => {
    const chain = await startLocalSolana({ confirmedDepth: 0 });
    let server = await GeyserServer.listen();
    const { port, url } = server;
    const reading = new Reading({ urls: [url] });
    const publish = async (slots: readonly { slot: number }[]): Promise<void> => {
      for (const { slot } of slots) server.publish({ block: geyserBlock(slot, await answerOf(chain, slot)) });
    };
    try {
      await server.subscribed();
      await until(() => reading.feed.live === 'blocks');
      chain.airdrop(chain.faucet, 5n);
      const made = [chain.slot(), chain.slot(), chain.slot()];
      await publish(made);
      const forked = chain.fork(2, { sameSlots: true });
      await publish(forked);
      await until(() => reading.blocks.length === 5);
      const { blocks } = reading;
      expect(blocks.map(({ slot }) => slot)).toEqual([...made, ...forked].map(({ slot }) => slot));
      expect(blocks[3]!.parentHash).toBe(blocks[0]!.hash);
      expect(blocks[3]!.hash).not.toBe(blocks[1]!.hash);
      expect(blocks[4]!.parentHash).toBe(blocks[3]!.hash);

      server.endAll();
      await until(() => reading.feed.live === null);
      expect(reading.feed.problemOf(url)).toEqual({ message: 'the endpoint ended the stream', at: expect.any(Number) });
      await publish([chain.slot()]);
      await until(() => reading.feed.live === 'blocks');
      await server.subscribed();
      expect(reading.feed.problemOf(url)).toBeNull();
      const next = chain.slot();
      await publish([next]);
      await until(() => reading.blocks.length === 6);
      // One gap tells of the end and of the new beginning.
      expect(reading.kinds.slice(-2)).toEqual(['gap', next.slot]);

      server.close();
      await until(() => reading.feed.live === null);
      await until(() => /^UNAVAILABLE: /.test(reading.feed.problemOf(url)?.message ?? ''));
      server = await GeyserServer.listen({ port });
      await until(() => reading.feed.live === 'blocks');
      await server.subscribed();
      const after = chain.slot();
      await publish([after]);
      await until(() => reading.blocks.length === 7);
      expect(reading.kinds.slice(-2)).toEqual(['gap', after.slot]);
    } finally {
      await reading.stop();
      server.close();
      await chain.stop();
    }
  });
});

describe('endpoints', () => {
  let server: GeyserServer;
  let reading: Reading;
  const hash = (n: number): string => `${'1'.repeat(31)}${'23456789ABCDEFGH'[n]}`;
  const block = (slot: number) => ({
    block: { slot, blockhash: hash(slot), parentSlot: slot - 1, parentBlockhash: hash(slot - 1) },
  });
  const open = async (options: Partial<YellowstoneOptions> = {}, listen: { token?: string } = {}): Promise<void> => {
    server = await GeyserServer.listen(listen);
    reading = new Reading({ urls: [server.url], ...options });
  };
  afterEach(async () => {
    await reading.stop();
    server.close();
  });

  test('a token is sent and never told; another endpoint takes its turn', async () => {
    const token = 't0ken-of-the-test';
    server = await GeyserServer.listen({ token });
    const wrong = `grpc://wr0ng-token@127.0.0.1:${server.port}`;
    const right = `${server.url}?x-token=${token}`;
    reading = new Reading({ urls: [wrong, right] });
    expect(reading.feed.urls).toEqual([wrong, right]);
    await until(() => reading.feed.live === 'blocks');
    expect(reading.feed.problemOf(wrong)?.message).toBe('UNAUTHENTICATED: the token [hidden] is not known');
    expect(reading.feed.problemOf(right)).toBeNull();
    expect(server.opened).toBe(2);
  });

  test('pings are answered; a block that is not whole is told as a slot', async () => {
    await open();
    await server.subscribed();
    const pings = (): number => server.requests.filter(({ ping }) => Boolean(ping)).length;
    await until(() => pings() === 1);
    server.publish({ ping: {} });
    await until(() => pings() === 2);
    server.publish({ block: { ...block(3).block, executedTransactionCount: 4 } });
    server.publish(block(4));
    await until(() => reading.pushes.length === 3);
    expect(reading.pushes.slice(0, 2)).toEqual([{ kind: 'gap' }, { kind: 'slot', slot: 3 }]);
    expect(reading.kinds[2]).toBe(4);
  });

  test('an endpoint without a sign of life is left, and asked for one before', async () => {
    await open({ pingMs: 20, silenceMs: 2_000 });
    await server.subscribed();
    const pings = (): number => server.requests.filter(({ ping }) => Boolean(ping)).length;
    await until(() => pings() > 10);
    expect([server.opened, reading.feed.live]).toEqual([1, 'blocks']);
    server.silent = true;
    await until(() => server.opened === 2);
    expect(reading.feed.problemOf(server.url)?.message).toBe('no sign of life');
    server.silent = false;
    await until(() => reading.feed.live === 'blocks');
    expect(new Set(reading.kinds)).toEqual(new Set(['gap']));
  });

  test('a message that cannot be read ends the stream; the next one goes on', async () => {
    await open();
    await server.subscribed();
    await until(() => reading.feed.live === 'blocks');
    server.send(Buffer.from([0x2a, 0x05, 0x01]));
    await until(() => reading.feed.problemOf(server.url)?.message === 'a message that cannot be read');
    await until(() => reading.feed.live === 'blocks');
    await server.subscribed();
    server.publish(block(5));
    await until(() => reading.blocks.length === 1);
    expect(reading.kinds.at(-1)).toBe(5);
  });

  test('a reader that is too slow finds a gap where blocks were dropped', async () => {
    server = await GeyserServer.listen();
    const abort = new AbortController();
    const feed = new YellowstoneFeed({ urls: [server.url], maxWaiting: 3 });
    const pushes = feed.blocks(abort.signal)[Symbol.asyncIterator]();
    reading = new Reading({ urls: [] });
    expect((await pushes.next()).value).toEqual({ kind: 'gap' });
    await server.subscribed();
    const kinds = async (count: number): Promise<(string | number)[]> => {
      const found = [];
      for (let n = 0; n < count; n++) {
        const { value } = (await pushes.next()) as { value: RawBlockPush };
        found.push(value.kind === 'block' ? value.block.slot : value.kind);
      }
      return found;
    };
    for (let slot = 1; slot <= 6; slot++) server.publish(block(slot));
    // The stream is in order: once a ping behind them is answered, the blocks were taken or dropped.
    const answers = (): number => server.requests.filter(({ ping }) => Boolean(ping)).length;
    const before = answers();
    server.publish({ ping: {} });
    await until(() => answers() > before);
    expect(await kinds(4)).toEqual([1, 2, 3, 'gap']);
    server.publish(block(7));
    expect(await kinds(1)).toEqual([7]);
    abort.abort();
    expect((await pushes.next()).done).toBe(true);
    expect(feed.live).toBeNull();
  });
});
