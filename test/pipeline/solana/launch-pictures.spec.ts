import { dasOver } from '#apps/api/test/das-harness.js';
import type { GatewayHarness } from '#apps/api/test/gateway-harness.js';
import { type OpenLaunch, openLaunch } from '#apps/router/src/launch/open-launch.js';
import { SolanaVenues } from '#apps/router/src/solana/venues/solana-venues.js';
import { LaunchWorld } from '#apps/router/test/launch/launch-world.js';
import { signedCreate } from '#apps/router/test/launch/signed-create.js';
import { sol } from '#libs/chain/catalogue/test/chain-specs.js';
import { TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { SeededKey } from '#libs/devkit/devnet/solana/market/seeded-key.js';
import { testSeed } from '#libs/devkit/testing/seeded-random.js';
import { until } from '#libs/devkit/testing/until.js';
import { silentLogger } from '#libs/platform/logger.js';
import { pictureName, rewritePicture } from '#libs/platform/outbound/picture.js';
import type { BoardAnswer } from '#libs/serve/contract/rest/launchpad-body.js';
import type { TokenAnswer } from '#libs/serve/contract/rest/token-body.js';
import { PUBLIC_URL } from '../served-media.js';
import { BusyMarket } from './busy-market.js';
import { SolanaPipeline } from './solana-pipeline.js';

/**
 * A token that a router built on a local Solana chain, with a picture: board, token page and DAS show it, and the api serves it, from
 * the file that the router put into the log. Router, ingest and api share the log alone.
 */
const LIMIT_MS = 400_000;

let market: BusyMarket;
let pipeline: SolanaPipeline;
let launch: OpenLaunch;
let router: LaunchWorld;
let gateway: GatewayHarness;

beforeAll(async () => {
  const seed = testSeed();
  market = await BusyMarket.start(seed, 20);
  pipeline = await SolanaPipeline.open(market, seed, () => router.sampleImage);
  launch = await openLaunch({
    ...{ log: pipeline.log, logger: silentLogger, redisUrl: null, publicUrl: null, now: Date.now },
  });
  launch.localNodes.set('sol', market.rpcUrl);
  const chain = {
    spec: sol,
    isListed: true,
    venues: new SolanaVenues(sol),
    services: null,
    absence: 'no node',
    demoRpcUrl: null,
  };
  router = await LaunchWorld.start(launch, { solana: chain });
  gateway = await dasOver(pipeline.reader);
  await pipeline.quiet();
}, LIMIT_MS);

afterAll(async () => {
  await gateway?.close();
  await pipeline?.rest();
  await router?.close();
  await launch?.close();
  await pipeline?.close();
  await market?.stop();
}, LIMIT_MS);

it(
  'a token that was created with a picture is shown with it on the board, its page and in DAS',
  async () => {
    const creator = new SeededKey('creator with a picture');
    market.runner.fund(creator.address, { lamports: 200_000_000_000n });
    market.runner.slot({ traders: false });
    const fields = { name: 'Spring Tide', symbol: 'TIDE', description: 'Goes out, comes in' };
    const reply = await router.post('/launch/sol', {
      ...{ platform: 'tidepool', creator: creator.address, ...fields, image: router.sampleImage },
      rpcUrl: market.rpcUrl,
    });
    expect([reply.status, reply.body.error]).toEqual([200, null]);
    const { data } = reply.body;
    const signature = market.runner.chain.send(signedCreate(data, [creator]));
    for (let n = 0; n < 2; n++) market.runner.slot({ traders: false });
    expect(market.runner.chain.resultOf(signature)).toBeNull();
    await pipeline.quiet();

    const sample = Buffer.from(await (await fetch(router.sampleImage)).arrayBuffer());
    const picture = await rewritePicture(sample);
    const image = `${PUBLIC_URL}/media/${pictureName(picture)}`;
    expect(image).toMatch(/\/media\/[\w-]+\.webp$/);
    const { client } = pipeline;
    const token = async () => (await client.get<TokenAnswer>(`/tokens/sol/${data.address}`)).data;
    await until('its page has its picture', async () => (await token()).image === image);
    expect(await token()).toMatchObject({ ...fields, image });
    const row = async () =>
      (await client.get<BoardAnswer>('/launchpad/new?limit=50')).data.find(({ address }) => address === data.address);
    await until('the board has its picture', async () => (await row())?.image === image);
    const served = await fetch(client.url + new URL(image).pathname);
    expect([served.status, served.headers.get('content-type')]).toEqual([200, 'image/webp']);
    expect(Buffer.from(await served.arrayBuffer()).equals(picture)).toBe(true);

    const { result } = await gateway.call('/sol', 'getAsset', { id: data.address });
    expect(result).toMatchObject({
      content: {
        json_uri: data.metadataUri,
        files: [{ uri: image, mime: 'image/webp' }],
        metadata: { ...fields, token_standard: 'Fungible' },
        links: { image },
      },
      token_info: { symbol: 'TIDE', decimals: 6, token_program: TOKEN_PROGRAM },
    });
    // The token names its file: it is one that stays.
    expect(await fetch(data.metadataUri).then((file) => file.json())).toMatchObject(fields);
    expect([...pipeline.errors, ...router.problems, ...gateway.logged]).toEqual([]);
  },
  LIMIT_MS,
);
