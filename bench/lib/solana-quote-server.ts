import { UsdValues } from '#apps/router/src/evm/prices/usd-values.js';
import { MemoryHeldQuotes } from '#apps/router/src/held/memory-held-quotes.js';
import { WatchedDeployment } from '#apps/router/src/solana/deployment/watched-deployment.js';
import type { SolanaServices } from '#apps/router/src/solana/ports.js';
import { SolanaVenues } from '#apps/router/src/solana/venues/solana-venues.js';
import { createRouter } from '#apps/router/test/create-router.js';
import { noReceipts } from '#apps/router/test/no-receipts.js';
import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import { until } from '#libs/devkit/testing/until.js';
import { PoolBook } from '#libs/routing/pools/pool-book.js';
import { SolanaRouteFinder } from '#libs/routing/search/solana/solana-route-finder.js';
import { bufferOf, VENUE_KINDS, type VenueKind } from '#programs/client.js';
import { SolanaQuoteMarket } from './solana-quote-market.js';

/**
 * The router's own listener over a market of Solana pools of the given size and seed, with the config of a deployment that has a
 * live row for every venue, read as from a node. Random pools have no accounts for instructions: whether a route fits its transaction
 * is not looked at. Says its port, then its CPU time whenever it is asked.
 */
const [pools, seed] = process.argv.slice(2).map(Number) as [number, number];
const logger = { info: () => undefined, warn: console.error, error: console.error, debug: () => undefined };
const PROGRAM = '7e'.repeat(32);
const [CONFIG_BYTES, ROWS_AT, ROW_BYTES] = [1_392, 112, 40];

const spec = chainSpec('sol')!;
const venues = new SolanaVenues(spec);

/** The config account of a deployment. */
function config(): Buffer {
  const data = Buffer.alloc(CONFIG_BYTES);
  data.write('TPSWAPC1');
  data[107] = venues.buildable.length;
  for (const [nth, { factory }] of venues.buildable.entries()) {
    const at = ROWS_AT + nth * ROW_BYTES;
    const kind = venues.rows(null).find(({ programId }) => programId === solanaIds.formatAddress(factory))!.kind;
    data.set(bufferOf(factory), at);
    data.set([VENUE_KINDS.indexOf(kind as VenueKind), 1], at + 32);
  }
  return data;
}

const account = (owner: string, data: Uint8Array) => ({
  ...{ owner, lamports: 1, executable: false, rentEpoch: 0, space: data.length },
  data: [Buffer.from(data).toString('base64'), 'base64'],
});
const answer = {
  context: { slot: 1 },
  value: [
    account(solanaIds.formatAddress(PROGRAM), config()),
    account('Sysvar1111111111111111111111111111111111111', new Uint8Array(40)),
  ],
};
const endpoint = {
  call: async () => answer,
  error: (kind: string, message: string) => new Error(`${kind}: ${message}`),
};
const nodes = { use: (task: (given: unknown) => unknown) => task(endpoint) } as unknown as SolanaPool;
const deployment = new WatchedDeployment({ chain: spec.slug, program: PROGRAM, nodes });
void deployment.run(new AbortController().signal);
await until('the config is read', () => deployment.state() !== null);

const market = new SolanaQuoteMarket(pools, seed);
const services = {
  pools: { version: 1, moment: { slot: 1n, unixTime: 1n }, pool: (id: string) => market.book.pool(id) },
  market: () => null,
  routes: new SolanaRouteFinder(market.book),
  deployment,
  usd: new UsdValues(spec, () => new PoolBook()),
  builder: {},
  fits: () => true,
} as unknown as SolanaServices;
const running = await createRouter({
  ...{ accounts: null, logger, version: 'bench', held: new MemoryHeldQuotes(), receipts: noReceipts },
  chains: [],
  solana: { spec, isListed: true, venues, services, absence: '', demoRpcUrl: null },
});

process.on('message', () => process.send!({ cpu: process.cpuUsage() }));
process.on('disconnect', () => process.exit(0));
process.send!({ port: Number(new URL(running.url).port) });
