import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createApi, type RunningApi } from '#apps/api/src/create-api.js';
import { createIngestChain } from '#apps/ingest/src/create-ingest.js';
import { ContractUris } from '#apps/ingest/src/metadata/contract-uri.js';
import { MemoryHeldQuotes } from '#apps/router/src/held/memory-held-quotes.js';
import { LogMetadata } from '#apps/router/src/launch/metadata/log-metadata.js';
import { WAITING_BOUNDS } from '#apps/router/src/launch/metadata/outdated-files.js';
import { type OpenLaunch, openLaunch } from '#apps/router/src/launch/open-launch.js';
import { createRouter, type RunningRouter } from '#apps/router/test/create-router.js';
import { noReceipts } from '#apps/router/test/no-receipts.js';
import { bsc } from '#libs/chain/catalogue/test/chain-specs.js';
import { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import { type LocalChain, startLocalChain } from '#libs/devkit/devnet/evm/local-chain.js';
import { commitThread } from '#libs/devkit/testing/commit-thread.js';
import { accountsWithoutLimits } from '#libs/devkit/testing/local-accounts.js';
import { removeFolder } from '#libs/devkit/testing/remove-folder.js';
import { testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { LaunchFiles } from '#libs/pipeline/epochs/launch-files.js';
import { openEmbeddedLog } from '#libs/pipeline/event-log/embedded/embedded-log.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { openChdbStore } from '#libs/pipeline/store/chdb-store.js';
import type { AnalyticsStore } from '#libs/pipeline/store/store.js';
import { silentLogger } from '#libs/platform/logger.js';
import { pictureName, rewritePicture } from '#libs/platform/outbound/picture.js';
import { decodeMetadata, metadataSubject } from '#libs/protocol/token-metadata.js';
import { tokenMetadataTopic } from '#libs/protocol/topics.js';
import type { EvmTransaction } from '#libs/serve/contract/rest/evm/swap-body.js';
import type { LaunchCreated, LaunchCreatedAnswer } from '#libs/serve/contract/rest/launch/launch-body.js';
import type { TokenAnswer } from '#libs/serve/contract/rest/token-body.js';
import { createChainReader } from '#libs/serve/reader/chain-reader.js';
import { storeSource } from '#libs/serve/reader/store-source.js';
import { PUBLIC_URL, ServedMedia } from './served-media.js';

/**
 * What a router makes of a token's metadata reaches the api through the topic `launch-metadata`: router, ingest and api share a log
 * and a store, and ingest may ask the router for its sample picture alone.
 */
const LIMIT_MS = 400_000;

let dir: string;
let chain: LocalChain;
let log: EventLog;
let store: AnalyticsStore;
let launch: OpenLaunch;
let router: RunningRouter;
let api: RunningApi;
let key: string;
let media: ServedMedia;
const stop = new AbortController();
const running: Promise<void>[] = [];
const failures: unknown[] = [];
const errors: object[] = [];
const logger = { ...silentLogger, error: (fields: object) => void errors.push(fields) };

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tidepool-launch-metadata-'));
  chain = await startLocalChain({
    ...{ chain: 'bsc', dataDir: join(dir, 'chain'), seed: testSeed(), historyBlocks: 8, autoMine: false },
  });
  log = await openEmbeddedLog({ dir: join(dir, 'log') });
  store = await openChdbStore({ dir: join(dir, 'store') });
  media = new ServedMedia({
    ...{ log, store, dir, chain: bsc, sampleImage, uris: () => new ContractUris(bsc, [chain.rpcUrl], new NodePools()) },
  });
  const reader = createChainReader({
    ...{ chain: bsc, log, source: storeSource(store, 'bsc'), pollMs: 50, about: media.book.of('bsc') },
  });
  const ingest = createIngestChain({
    ...{ log, store, chain: bsc, rpcUrls: [chain.rpcUrl, chain.wsUrl], startHeight: 0, dataDir: dir },
    ...{ keyedTopics: false, logger: silentLogger, commitThread, onCheckpoint: () => reader.checkNow() },
  });
  launch = await openLaunch({ ...{ log, logger: silentLogger, redisUrl: null, publicUrl: null }, now: Date.now });
  launch.localNodes.set('bsc', chain.rpcUrl);
  router = await createRouter({
    requestTimeoutMs: 300_000,
    ...{ accounts: null, held: new MemoryHeldQuotes(), receipts: noReceipts, chains: [], version: '1.2.3' },
    ...{ logger, launch: { ...launch, exchangeMs: 120_000 } },
  });
  for (const stage of [...ingest.stages, reader, media.book, media.stage]) {
    running.push(stage.run(stop.signal).catch((error: unknown) => void failures.push(error)));
  }
  const accounts = await accountsWithoutLimits(dir);
  key = accounts.demo.key;
  api = await createApi({
    config: { bind: '127.0.0.1', port: 0 },
    readers: new Map([['bsc', reader]]),
    pictures: media.pictures,
    ...{ accounts, log, cursorKey: randomBytes(32), publicUrl: PUBLIC_URL, version: '0', logger },
  });
}, LIMIT_MS);

afterAll(async () => {
  stop.abort();
  await Promise.all(running);
  await api?.close();
  await router?.close();
  await launch?.close();
  await store?.close();
  await log?.close();
  await chain?.stop();
  await removeFolder(dir);
}, LIMIT_MS);

const sampleImage = (): string => `${router.url}/launch/files/sample.png`;

type Creator = ReturnType<typeof privateKeyToAccount>;

async function built(more: object): Promise<{ data: LaunchCreated; creator: Creator }> {
  const creator = privateKeyToAccount(generatePrivateKey());
  await chain.fund(creator.address.toLowerCase(), { eth: 10n ** 19n, tokens: [] });
  const body = { platform: 'tidepool', creator: creator.address, name: 'Spring Tide', symbol: 'TIDE', ...more };
  const reply = await fetch(`${router.url}/launch/bsc`, {
    method: 'POST',
    body: JSON.stringify({ ...body, image: sampleImage(), rpcUrl: chain.rpcUrl }),
  });
  const { data, error } = (await reply.json()) as LaunchCreatedAnswer & { error: unknown };
  expect([reply.status, error]).toEqual([200, null]);
  return { data, creator };
}

/** Builds a create, signs it with its creator's key and mines it; the token and the address of its metadata. */
async function launched(more: object): Promise<LaunchCreated> {
  const { data, creator } = await built(more);
  const {
    chainId,
    to,
    data: input,
    value,
    gas,
    maxFeePerGas,
    maxPriorityFeePerGas,
  } = data.transactions[0] as EvmTransaction;
  const signed = await creator.signTransaction({
    ...{ chainId, nonce: 0, to: to as Hex, data: input as Hex, type: 'eip1559' },
    ...{ value: BigInt(value), gas: BigInt(gas) },
    ...{ maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) },
  });
  const hash = await chain.rpc.call<Hex>('eth_sendRawTransaction', [signed]);
  await chain.mine({ traders: false });
  const receipt = await chain.rpc.call<{ status: Hex }>('eth_getTransactionReceipt', [hash]);
  expect(receipt.status).toBe('0x1');
  return data;
}

/** Launched tokens that the topic of metadata speaks of. */
async function subjects(): Promise<string[]> {
  const records = await log.readKeyed(tokenMetadataTopic, 0, 0n, 10_000);
  const said = records.filter(({ value }) => value !== null && decodeMetadata(value)?.uri?.includes('/launch/files/'));
  return [...new Set(said.map(({ key }) => `0x${metadataSubject(key)!.token}`))].sort();
}

async function tokenOf(address: string): Promise<TokenAnswer['data'] | null> {
  if (failures.length > 0) throw failures[0];
  const reply = await fetch(`${api.url}/tokens/bsc/${address}`, { headers: { 'x-api-key': key } });
  return reply.status === 200 ? ((await reply.json()) as TokenAnswer).data : null;
}

it(
  'shows description, links and picture of what was launched, and asks the router for none of the files',
  async () => {
    const links = { twitter: 'https://x.com/tide', website: 'https://example.com/' };
    // Its wallet does not sign it.
    const { data: unsigned } = await built({ description: 'Stays away' });
    const tokens = [
      await launched({ description: 'Goes out, comes in', ...links }),
      await launched({ description: 'Another', initialBuy: String(10n ** 17n) }),
    ];
    const sample = Buffer.from(await (await fetch(sampleImage())).arrayBuffer());
    const picture = await rewritePicture(sample);
    const image = `${PUBLIC_URL}/media/${pictureName(picture)}`;
    for (const { address } of tokens) {
      await until(`${address} has its picture`, async () => (await tokenOf(address))?.image === image);
    }
    const [first, second] = await Promise.all(tokens.map(({ address }) => tokenOf(address)));
    expect([first!.description, second!.description]).toEqual(['Goes out, comes in', 'Another']);
    expect(first!.socials).toEqual({ ...links, telegram: null, discord: null });
    const served = await fetch(api.url + new URL(image).pathname);
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/webp']);
    expect(Buffer.from(await served.arrayBuffer()).equals(picture)).toBe(true);
    // The files are on the router's address, which ingest may not open.
    for (const { metadataUri } of tokens) expect(metadataUri).toMatch(`${router.url}/launch/files/`);
    // Nothing is looked for of what was not signed; its own file stays, as it may still be signed.
    expect(await tokenOf(unsigned.address)).toBeNull();
    expect(await subjects()).toEqual(tokens.map(({ address }) => address).sort());
    expect(await (await fetch(unsigned.metadataUri)).json()).toMatchObject({ description: 'Stays away' });
    // Above the bound goes what no token has.
    expect(await media.marks.followedUntil('bsc')).toBeGreaterThan(0);
    const full = new LogMetadata(log, 'full', Date.now, { ...WAITING_BOUNDS, files: 1 });
    await full.put(Buffer.from('{}'), 'bsc');
    await full.close();
    const reader = new LaunchFiles(log, 'reader');
    const kept = async ({ metadataUri }: LaunchCreated) =>
      (await reader.find(metadataUri.slice(metadataUri.lastIndexOf('/') + 1))) !== null;
    expect(await Promise.all([unsigned, ...tokens].map(kept))).toEqual([false, true, true]);
    expect(errors).toEqual([]);
  },
  LIMIT_MS,
);
