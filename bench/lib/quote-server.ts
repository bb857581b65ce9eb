import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { createRouter } from '#apps/router/src/create-router.js';
import type { EvmNodes } from '#apps/router/src/evm/evm-nodes.js';
import { createGasEstimates } from '#apps/router/src/evm/gas/gas-estimates.js';
import type { EvmChainServices } from '#apps/router/src/evm/ports.js';
import { UsdValues } from '#apps/router/src/evm/prices/usd-values.js';
import { TokenFindings } from '#apps/router/src/evm/tokens/token-findings.js';
import { MemoryHeldQuotes } from '#apps/router/src/held/memory-held-quotes.js';
import { noReceipts } from '#apps/router/test/no-receipts.js';
import { chainSpec } from '#libs/catalogue/catalogue.js';
import { RouteCache } from '#libs/routing/route-cache.js';
import { RouteFinder } from '#libs/routing/route-finder.js';
import { QuoteMarket, VENUES } from './quote-market.js';

/**
 * The server of the HTTP half: the router's own listener over a market of the given size, or a bare Fastify with a route
 * of the given path that answers the given bytes. Gas estimates are the router's; the node that they ask answers at once. Says its port,
 * then its CPU time whenever it is asked.
 */
const [kind, argument, further] = process.argv.slice(2) as ['router' | 'bare', string, string];
const logger = { info: () => undefined, warn: console.error, error: console.error, debug: () => undefined };

async function router(): Promise<number> {
  const spec = chainSpec('eth')!;
  const market = new QuoteMarket(Number(argument), Number(further));
  const nodes = { use: async () => ({ amountOut: 1n, gas: 120_000n }) } as unknown as Pick<EvmNodes, 'use'>;
  const servable = new Set<string>(Object.values(VENUES));
  const services = {
    ...{
      spec,
      book: market.book,
      routes: new RouteCache(market.book, new RouteFinder(market.book)),
      demoRpcUrl: null,
    },
    usd: new UsdValues(spec, () => market.book),
    tokens: new TokenFindings(() => market.book.head?.time ?? null),
    gas: createGasEstimates({ chain: spec, nodes, logger: logger as never }),
    venues: { rows: () => [], servable: () => servable },
    head: () => ({ ...market.book.head!, time: Date.now(), source: 'stream' as const }),
  } as unknown as EvmChainServices;
  const running = await createRouter({
    ...{ accounts: null, logger, version: 'bench', held: new MemoryHeldQuotes(), receipts: noReceipts },
    config: { bind: '127.0.0.1', port: 0 },
    chains: [{ spec, services, absence: '' }],
  });
  return Number(new URL(running.url).port);
}

async function bare(): Promise<number> {
  const body = Buffer.from(argument, 'utf8');
  const server = Fastify();
  const answer = (_: unknown, reply: { type(name: string): { send(bytes: Buffer): unknown } }) =>
    reply.type('application/json; charset=utf-8').send(body);
  server.get(further, answer);
  server.post(further, answer);
  await server.listen({ host: '127.0.0.1', port: 0 });
  return (server.server.address() as AddressInfo).port;
}

process.on('message', () => process.send!({ cpu: process.cpuUsage() }));
process.on('disconnect', () => process.exit(0));
process.send!({ port: await (kind === 'router' ? router() : bare()) });
