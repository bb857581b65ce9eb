import type { EvmChainServices } from '#apps/router/src/evm/ports.js';
import { UsdValues } from '#apps/router/src/evm/prices/usd-values.js';
import { TokenFindings } from '#apps/router/src/evm/tokens/token-findings.js';
import { MemoryHeldQuotes } from '#apps/router/src/held/memory-held-quotes.js';
import { createRouter } from '#apps/router/test/create-router.js';
import { noReceipts } from '#apps/router/test/no-receipts.js';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { RouteCache } from '#libs/routing/search/route-cache.js';
import { RouteFinder } from '#libs/routing/search/route-finder.js';
import { QuoteMarket, VENUES } from './quote-market.js';

/**
 * The router's own listener over a market of the given size and seed. Says its port, then its CPU time whenever it is asked.
 */
const [pools, seed] = process.argv.slice(2).map(Number) as [number, number];
const logger = { info: () => undefined, warn: console.error, error: console.error, debug: () => undefined };

const spec = chainSpec('eth')!;
const market = new QuoteMarket(pools, seed);
const servable = new Set<string>(Object.values(VENUES));
const services = {
  ...{ spec, book: market.book, routes: new RouteCache(market.book, new RouteFinder(market.book)), demoRpcUrl: null },
  usd: new UsdValues(spec, () => market.book),
  tokens: new TokenFindings(() => market.book.head?.time ?? null),
  venues: { rows: () => [], servable: () => servable },
  head: () => ({ ...market.book.head!, time: Date.now(), source: 'stream' as const }),
} as unknown as EvmChainServices;
const running = await createRouter({
  ...{ accounts: null, logger, version: 'bench', held: new MemoryHeldQuotes(), receipts: noReceipts },
  chains: [{ spec, services, absence: '' }],
});

process.on('message', () => process.send!({ cpu: process.cpuUsage() }));
process.on('disconnect', () => process.exit(0));
process.send!({ port: Number(new URL(running.url).port) });
