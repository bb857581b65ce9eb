import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Provider } from '@nestjs/common';
import { startApplication } from '#libs/app/application.js';
import type { ChainEndpoints } from '#libs/app/modules/chain-endpoints.js';
import { ACCOUNTS, CHAIN_ENDPOINTS, LOGGER, VERSION } from '#libs/app/modules/tokens.js';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import { accountsWithoutLimits } from '#libs/devkit/testing/local-accounts.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { GatewayModule } from '../src/gateway/gateway.module.js';
import { GatewayListener } from '../src/gateway/gateway-listener.js';
import { GATEWAY_CHAINS, GATEWAY_PACE, GATEWAY_PLACE, type GatewayPace } from '../src/gateway/gateway-parts.js';
import { LocalMethods } from '../src/gateway/local-methods.js';

export interface RpcReply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are compared field by field
  body: any;
}

/** The gateway's listener over given nodes, without the rest of the api. */
export class GatewayHarness {
  private constructor(
    readonly logged: readonly unknown[],
    readonly url: string,
    readonly key: string,
    readonly listener: GatewayListener,
    /** Credits that calls with the key took. */
    readonly spent: () => number,
    private readonly dispose: () => Promise<void>,
  ) {}

  static async start(
    nodes: Readonly<Record<string, readonly string[]>>,
    pace: GatewayPace = {},
    local = new LocalMethods(new Map()),
  ): Promise<GatewayHarness> {
    const dataDir = await mkdtemp(join(tmpdir(), 'tidepool-gateway-'));
    const accounts = await accountsWithoutLimits(dataDir);
    const logged: unknown[] = [];
    const keep = (fields: object, message: string): void => void logged.push({ ...fields, message });
    const endpoints: ChainEndpoints = {
      of: async (slug) => ({ rpcUrls: nodes[slug]!, startHeight: null, codePins: new Map(), demoRpcUrl: null }),
    };
    const parts: Provider[] = [
      { provide: GATEWAY_PLACE, useValue: { bind: '127.0.0.1', port: 0 } },
      { provide: GATEWAY_CHAINS, useValue: Object.keys(nodes).map((slug) => chainSpec(slug)!) },
      { provide: GATEWAY_PACE, useValue: pace },
      { provide: CHAIN_ENDPOINTS, useValue: endpoints },
      { provide: ACCOUNTS, useValue: accounts },
      { provide: LOGGER, useValue: { info: keep, warn: keep, error: keep } },
      { provide: VERSION, useValue: '1.2.3' },
      { provide: NodePools, useValue: new NodePools() },
    ];
    const app = await startApplication(GatewayModule.from(parts, { provide: LocalMethods, useValue: local }));
    const listener = app.get(GatewayListener);
    const account = accounts.authenticate(accounts.demo.key)!.account.id;
    const spent = (): number => {
      const { included, extra } = accounts.totals(account);
      return included + extra;
    };
    return new GatewayHarness(logged, listener.url!, accounts.demo.key, listener, spent, async () => {
      await app.close();
      await removeFolder(dataDir);
    });
  }

  /** A body as it is, to one path. */
  async post(
    path: string,
    body: string,
    headers: Record<string, string> = { 'x-api-key': this.key },
  ): Promise<RpcReply> {
    const response = await fetch(this.url + path, { method: 'POST', body, headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text === '' ? null : JSON.parse(text) };
  }

  /** One call that has to be answered with HTTP 200. */
  async call(path: string, method: string, params: unknown = []): Promise<RpcReply['body']> {
    const reply = await this.post(path, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    expect({ status: reply.status, id: reply.body.id }).toEqual({ status: 200, id: 1 });
    return reply.body;
  }

  close(): Promise<void> {
    return this.dispose();
  }
}
