import { encodeFunctionData, parseAbi } from 'viem';
import { HexText } from '#libs/chain/chains/evm/hex-text.js';
import { evmLaunchpads } from '#libs/chain/launchpads/evm-registry.js';
import { LocalWorld } from '#libs/devkit/devnet/evm/test/local-world.js';
import { sendAll } from '#libs/devkit/devnet/evm/test/place-contracts.js';
import { scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import { evmClanker } from '../../src/launch/evm/clanker/builder.js';
import { clankerSites, openClanker } from './clanker-world.js';
import { COIN, EvmCreators, type Receipt } from './evm-creators.js';
import { LaunchWorld, refused } from './launch-world.js';

/** Creates on Clanker's own contracts, put on a local chain where they are on Base: what was promised is what the chain has. */
const SUPPLY = 100_000_000_000n * COIN;
const TOKEN_ABI = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function imageUrl() view returns (string)',
  'function metadata() view returns (string)',
  'function context() view returns (string)',
  'function admin() view returns (address)',
  'function totalSupply() view returns (uint256)',
]);
const INITIALIZE = '0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438';
let local: LocalWorld;
let world: LaunchWorld;
let on: EvmCreators;

beforeAll(async () => {
  local = await LocalWorld.start('base', 29, 4);
  await openClanker(local.chain);
  world = await LaunchWorld.start({ localNodes: new Map([['base', local.chain.rpcUrl]]), limits: { take: () => 0 } });
  on = new EvmCreators(local, world, 'base', 'clanker');
});
afterAll(async () => {
  await world?.close();
  await local?.close();
});

const view = (to: string, name: (typeof TOKEN_ABI)[number]['name']) => on.view(TOKEN_ABI, to, name);

/** What our own reading of the chain takes from the receipt. */
function launchesIn({ logs }: Receipt) {
  const { contracts } = evmLaunchpads.get('clanker')!.steps!;
  const ofFactory = logs.filter(({ address }) => address === clankerSites.factory);
  return ofFactory.flatMap(({ address, topics, data }) => {
    const event = contracts.factory![topics[0]!]?.({ address, topics, data: HexText.read(data)! }, 0, 0) ?? null;
    return event === null ? [] : [event];
  });
}

it('land as they were promised: address, pool, first buy, metadata, cost', async () => {
  await withSeed('clanker creates', async (random) => {
    const creates = scaled(200, 4);
    let bought = 0;
    for (let n = 0; n < creates || bought === 0; n++) {
      expect(n).toBeLessThan(creates + 50);
      const creator = await on.funded(10n * COIN);
      const initialBuy = random.chance(0.3) ? 0n : 1n + (BigInt(random.below(2 ** 30)) * COIN) / 2n ** 28n;
      const fields = { name: `Drift ${n}`, symbol: `DR${n}`, description: 'Goes out\nand comes back' };
      const website = 'https://example.com/';
      const built = await on.created(on.asked(creator, { ...fields, website, initialBuy: String(initialBuy) }));
      expect(built).toMatchObject({ chain: 'base', platform: 'clanker', warnings: [] });
      expect(built.signers).toEqual([{ address: creator.address.toLowerCase(), secretKey: null }]);
      // Another launch before it moves nothing.
      const other = await on.funded(COIN);
      if (random.chance(0.3)) await on.send(other, (await on.created(on.asked(other))).transactions[0]!);
      const before = await on.coins(creator.address);
      const receipt = await on.send(creator, built.transactions[0]!);
      expect(receipt.status).toBe('0x1');
      expect(before - (await on.coins(creator.address)) <= BigInt(built.cost.total)).toBe(true);
      const party = creator.address.slice(2).toLowerCase();
      expect(launchesIn(receipt)).toEqual([
        expect.objectContaining({ step: 'created', party, token: built.address.slice(2), curve: built.curve.slice(2) }),
      ]);
      const pools = receipt.logs.filter(({ topics }) => topics[0] === INITIALIZE).map(({ topics }) => topics[1]);
      expect(pools).toEqual([built.curve]);
      const shown = await Promise.all(
        (['name', 'symbol', 'imageUrl', 'metadata', 'context', 'admin', 'totalSupply'] as const).map((name) =>
          view(built.address, name),
        ),
      );
      const metadata = { description: fields.description, socialMediaUrls: [{ platform: 'website', url: website }] };
      expect(shown).toEqual([
        ...[fields.name, fields.symbol, world.sampleImage, JSON.stringify(metadata), '{"interface":"Tidepool"}'],
        ...[creator.address, SUPPLY],
      ]);
      expect(built.buy === null).toBe(initialBuy === 0n);
      const held = await local.balance(built.address, creator.address);
      expect([built.buy?.outAmount ?? '0', built.buy?.minOutAmount ?? '0']).toEqual([String(held), String(held)]);
      // Nothing of the buy is left with the contract that makes it.
      expect(await local.balance(clankerSites.wrapped, clankerSites.devBuy)).toBe(0n);
      if (built.buy !== null) bought++;
      const file = (await (await fetch(built.metadataUri)).json()) as object;
      expect(file).toEqual({ ...fields, website, image: world.sampleImage, external_url: website });
    }
  });
}, 600_000);

it('takes whole the most that a first buy may be, and no more', async () => {
  const creator = await on.funded(3_000n * COIN);
  const most = evmClanker.mostBuy!;
  const built = await on.created(on.asked(creator, { initialBuy: String(most) }));
  expect((await on.send(creator, built.transactions[0]!)).status).toBe('0x1');
  expect(await local.balance(built.address, creator.address)).toBe(BigInt(built.buy!.outAmount));
  expect(await local.balance(clankerSites.wrapped, clankerSites.devBuy)).toBe(0n);
  const reply = await on.post(on.asked(creator, { initialBuy: String(most + 1n) }));
  const rule =
    /^initialBuy must be a whole number of base units of the coin, at most 2400000000000000000000 on clanker$/;
  expect([reply.status, reply.body]).toEqual([400, refused('bad_request', rule)]);
});

it('says what is wrong where the chain would refuse it', async () => {
  const creator = await on.funded(COIN);
  const { rpc, deployer } = local.chain;
  const built = await on.created(on.asked(creator));
  expect((await on.send(creator, built.transactions[0]!)).status).toBe('0x1');
  expect((await on.send(creator, built.transactions[0]!)).status).toBe('0x0');
  const poor = await on.post(on.asked(creator, { initialBuy: String(2n * COIN) }));
  expect([poor.status, poor.body]).toEqual([422, refused('insufficient_funds', /needs 2000000000000000000/)]);
  const closing = (deprecated: boolean) =>
    encodeFunctionData({ abi: parseAbi(['function setDeprecated(bool)']), args: [deprecated] });
  await sendAll(local.chain, [{ from: deployer, to: clankerSites.factory, data: closing(true) }]);
  const closed = await on.post(on.asked(creator));
  expect([closed.status, closed.body]).toEqual([409, refused('simulation_failed', /Deprecated\(\)$/)]);
  await sendAll(local.chain, [{ from: deployer, to: clankerSites.factory, data: closing(false) }]);
  const code = await rpc.call('eth_getCode', [clankerSites.factory, 'latest']);
  await rpc.call('anvil_setCode', [clankerSites.factory, '0x']);
  const missing = await on.post(on.asked(creator));
  await rpc.call('anvil_setCode', [clankerSites.factory, code]);
  expect([missing.status, missing.body]).toEqual([
    501,
    refused('not_wired', /no clanker launchpad stands at 0xe85a59/),
  ]);
  expect(world.problems).toEqual([]);
});
