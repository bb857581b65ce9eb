import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import { accountsWithoutLimits } from '#libs/devkit/testing/local-accounts.js';
import { until } from '#libs/devkit/testing/until.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import { encodeReceipt } from '#libs/protocol/receipt-codec.js';
import type { QuoteReceipt } from '#libs/protocol/receipts.js';
import { quoteReceiptsTopic } from '#libs/protocol/topics.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import { createListener, type Listener } from '#libs/serve/http/listener.js';
import type { HttpRoute } from '#libs/serve/http/routes.js';
import { poolToken } from '../../evm/native-coin.js';
import { routerErrorBody } from '../../http/router-problem.js';
import { createReceiptKeeper, type ReceiptKeeper } from '../receipt-keeper.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

interface Served {
  readonly chains: readonly ChainSpec[];
  readonly receipts: readonly QuoteReceipt[];
  routesOf(keeper: ReceiptKeeper): HttpRoute[];
}

/** Receipts in a real log, the keeper that has read them, and routes over it on listeners. */
export class ReceiptsOverHttp {
  listener!: Listener;

  private constructor(
    readonly accounts: Accounts,
    private readonly routes: HttpRoute[],
    private readonly cleanUp: () => Promise<void>,
  ) {}

  static async start({ chains, receipts, routesOf }: Served): Promise<ReceiptsOverHttp> {
    const dir = mkdtempSync(join(tmpdir(), 'tidepool-receipts-route-'));
    const accounts = await accountsWithoutLimits(dir);
    const log = await openEmbeddedLog({ dir: join(dir, 'log') });
    await log.ensureTopics([quoteReceiptsTopic]);
    const writer = await log.openWriter('test');
    await writer.append(
      receipts.map((receipt) => ({ topic: quoteReceiptsTopic, key: receipt.id, value: encodeReceipt(receipt) })),
    );
    await writer.close();
    const bounds = { perChain: 1_000, ageMs: Number.MAX_SAFE_INTEGER };
    const keeper = createReceiptKeeper({ log, chains, poolToken, logger: silent, instance: 'test', bounds });
    const end = new AbortController();
    const running = keeper.run(end.signal);
    await until('every receipt is read', () => keeper.status().receipts === receipts.length);
    const served = new ReceiptsOverHttp(accounts, routesOf(keeper), async () => {
      end.abort();
      await running;
      await log.close();
      rmSync(dir, { recursive: true, force: true });
    });
    served.listener = await served.open(accounts);
    return served;
  }

  /** Another listener over the same receipts; null: it asks for no keys. */
  open(accounts: Accounts | null): Promise<Listener> {
    return createListener({
      ...{ routes: this.routes, errorBody: routerErrorBody, accounts },
      ...{ host: '127.0.0.1', port: 0, logger: silent },
    });
  }

  async close(): Promise<void> {
    await this.listener.close();
    await this.cleanUp();
  }

  /** As the demo account. */
  async ask<Body>(path: string): Promise<{ status: number; body: Body }> {
    const answer = await fetch(this.listener.url + path, { headers: { 'x-api-key': this.accounts.demo.key } });
    return { status: answer.status, body: (await answer.json()) as Body };
  }
}
