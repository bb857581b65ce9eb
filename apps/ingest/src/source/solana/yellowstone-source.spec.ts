import { setTimeout as delay } from 'node:timers/promises';
import WebSocket from 'ws';
import { geyserBlock } from '#libs/chain/chains/solana/geyser/test/geyser-messages.js';
import { GeyserServer } from '#libs/chain/chains/solana/geyser/test/geyser-server.js';
import type { Json } from '#libs/chain/chains/solana/malformed.js';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import { until } from '#libs/devkit/testing/until.js';
import { SolanaHarness, scale, seed } from './test/solana-harness.js';

/** The source with a gRPC endpoint next to its node: the endpoint announces what the chain confirms as well. */
let harness: SolanaHarness;
let server: GeyserServer;
let bridge: WebSocket;

beforeEach(async () => {
  harness = await SolanaHarness.open({ finalizedDepth: 12 });
  server = await GeyserServer.listen();
  bridge = new WebSocket(harness.chain.wsUrl);
  await new Promise((resolve) => bridge.once('open', resolve));
  const config = {
    encoding: 'json',
    transactionDetails: 'full',
    showRewards: false,
    maxSupportedTransactionVersion: 0,
  };
  const params = ['all', { ...config, commitment: 'confirmed' }];
  bridge.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'blockSubscribe', params }));
  await new Promise((resolve) => bridge.once('message', resolve));
  bridge.on('message', (body) => {
    const { value } = (JSON.parse(String(body)) as { params: { result: { value: { slot: number; block: Json } } } })
      .params.result;
    server.publish({ block: geyserBlock(value.slot, value.block) });
  });
});
afterEach(async () => {
  bridge.terminate();
  server.close();
  await harness.close();
});

it(`ends with the surviving chain, however it forks, skips and streams end (seed ${seed})`, async () => {
  const random = new SeededRandom(seed);
  const { chain } = harness;
  harness.grow(30);
  const running = harness.start([chain.rpcUrl, server.url], { historyThreshold: 20, historyMargin: 10 });
  await harness.caughtUp(running);
  await server.subscribed();
  for (let n = 0; n < Math.ceil(150 * scale); n++) {
    const kind = random.int(10);
    if (kind === 0) chain.skip(random.between(1, 30));
    else if (kind < 3) chain.fork(random.between(1, 8), { sameSlots: random.chance(0.5) });
    else harness.grow(random.between(1, 3), random.int(3));
    if (random.chance(0.05)) server.endAll();
    if (random.chance(0.3)) await harness.caughtUp(running);
    else await delay(random.int(15));
  }
  await server.subscribed();
  const pushed = async () =>
    (await harness.groups()).some((group) => group.kind === 'block' && group.source === 'stream');
  do {
    harness.grow(1, 2);
    await harness.caughtUp(running);
  } while (!(await pushed()));
  await harness.expectLog();
  await until('both nodes', () => running.source.nodes().every(({ ok }) => ok));
  expect(running.source.nodes().map(({ transport }) => transport)).toEqual(['http', 'grpc']);
});
