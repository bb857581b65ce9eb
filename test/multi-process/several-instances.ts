import { describeWithRedis, type RedisServer, startRedis } from '#apps/router/src/held/test/redis-server.js';
import type { AnvilRpc } from '#libs/devkit/devnet/evm/anvil-rpc.js';
import type { LocalChain } from '#libs/devkit/devnet/evm/local-chain.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { AccountBook } from '#libs/serve/accounts/account-book.js';
import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import type { EvmSwapAnswer } from '#libs/serve/contract/rest/evm/swap-body.js';
import type { TradesAnswer } from '#libs/serve/contract/rest/trade-body.js';
import { subscribed } from './live-frames.js';
import { MarketClient } from './market-client.js';
import type { Program } from './program.js';
import { headOf } from './swap-receipts.js';

/** What the suite of separate processes has running when these tests begin. */
interface World {
  start(app: 'api' | 'router', name: string, more?: Record<string, string>): Program;
  servedIds(): Promise<string[]>;
  /** Waits until the first api is at the head. */
  caughtUp(): Promise<void>;
  parts(): { log: EventLog; rpc: AnvilRpc; chain: LocalChain; api: Program; apiUrl: string };
}

const LIMIT_MS = 400_000;

/** Cursors, quotes and subscriptions are good at any instance, whichever gave them. */
export function describeSeveralInstances({ start, servedIds, caughtUp, parts }: World): void {
  describeWithRedis('several instances, the routers with one Redis', () => {
    let redis: RedisServer;
    const instances: Program[] = [];
    let key = '';
    const apis: string[] = [];
    const routers: string[] = [];

    beforeAll(async () => {
      redis = await startRedis();
      const book = await AccountBook.open(parts().log);
      await book.setPlan('No limits', 0, null);
      await book.createAccount('several', 'several', 'No limits', null);
      ({ key } = await book.createKey('several', {}));
      const again = start('api', 'api2');
      const both = ['router2', 'router3'].map((name) => start('router', name, { TIDEPOOL_REDIS_URL: redis.url }));
      instances.push(again, ...both);
      apis.push(parts().apiUrl, (await again.logged('market-data API is listening')).url as string);
      for (const router of both) routers.push((await router.logged('router is listening')).url as string);
      const head = await headOf(parts().rpc);
      for (const [url, program] of [
        [apis[0]!, parts().api],
        [apis[1]!, again],
      ] as const) {
        const client = new MarketClient(url, key);
        await program.until('the head', async () => (await client.chain('eth')).head?.blockHash === head.hash);
      }
    }, LIMIT_MS);

    afterAll(async () => {
      for (const program of instances) expect(await program.interrupt()).toBe(0);
      await redis?.stop();
    }, LIMIT_MS);

    test(
      'a page that one api ended is continued by the other',
      async () => {
        const clients = apis.map((url) => new MarketClient(url, key));
        const { address } = parts().chain.tokens.find(({ symbol }) => symbol === 'WETH')!;
        const rows: string[] = [];
        let next: string | null = '';
        let pages = 0;
        for (; next !== null; pages++) {
          const cursor: string = next === '' ? '' : `&cursor=${encodeURIComponent(next)}`;
          const page: TradesAnswer = await clients[pages % 2]!.get(`/tokens/eth/${address}/trades?limit=20${cursor}`);
          rows.push(...page.data.map(({ id }) => id));
          next = page.next;
        }
        expect(pages).toBeGreaterThan(3);
        expect(rows).toEqual((await clients[1]!.trades(address)).map(({ id }) => id));
      },
      LIMIT_MS,
    );

    test(
      'a quote that one router gave is built by the other',
      async () => {
        const wallet = `0x${'a1'.repeat(20)}`;
        await parts().rpc.call('anvil_setBalance', [wallet, '0x8ac7230489e80000']);
        await parts().chain.mine();
        const usdc = parts().chain.tokens.find(({ symbol }) => symbol === 'USDC')!.address;
        const path = `/evm/quote?chain=eth&inputMint=native&outputMint=${usdc}&amount=1000000000000000000`;
        const head = await headOf(parts().rpc);
        const [first, second] = instances.slice(1) as [Program, Program];
        const quoteOf = (program: Program, url: string) =>
          program.until('a quote at the head', async () => {
            const quote = await new MarketClient(url, key).get<EvmQuote>(path);
            return quote.blockHash === head.hash ? quote : null;
          });
        const quoteResponse = await quoteOf(first, routers[0]!);
        expect(await quoteOf(second, routers[1]!)).toMatchObject({ outAmount: quoteResponse.outAmount });
        const build = async (quote: EvmQuote): Promise<{ status: number; body: EvmSwapAnswer }> => {
          const answer = await fetch(`${routers[1]}/evm/swap`, {
            method: 'POST',
            headers: { 'x-api-key': key, 'content-type': 'application/json' },
            body: JSON.stringify({ userPublicKey: wallet, quoteResponse: quote }),
          });
          return { status: answer.status, body: (await answer.json()) as EvmSwapAnswer };
        };
        const { status, body } = await build(quoteResponse);
        expect([status, body]).toEqual([200, body]);
        expect(body.quoteResponse.quoteId).toBe(quoteResponse.quoteId);
        // It is the quote that is held, not whatever is sent in its name.
        const other = await build({ ...quoteResponse, outAmount: `${quoteResponse.outAmount}0` });
        expect([other.status, other.body]).toMatchObject([400, { error: 'quote_mismatch' }]);
      },
      LIMIT_MS,
    );

    test(
      'a subscription that one api began is continued by the other, without a snapshot',
      async () => {
        const { address: token } = parts().chain.tokens.find(({ symbol }) => symbol === 'WETH')!;
        const first = await subscribed(apis[0]!, key, { channel: 'trades', chain: 'eth', token });
        const snapshot = await first.next('snapshot');
        first.close();
        const before = await servedIds();
        await parts().chain.mine();
        const { epoch, seq } = snapshot;
        const second = await subscribed(apis[1]!, key, {
          channel: 'trades',
          chain: 'eth',
          token,
          resume: { epoch, seq },
        });
        expect((await second.next('subscribed')).resumed).toBe(true);
        const { data } = await second.next('trades');
        second.close();
        await caughtUp();
        const added = (await servedIds()).filter((id) => !before.includes(id));
        expect(data!.length).toBeGreaterThan(0);
        expect(added).toEqual(expect.arrayContaining(data!.map(({ id }) => id)));
      },
      LIMIT_MS,
    );
  });
}
