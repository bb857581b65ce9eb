import { encodeFunctionData, parseAbi } from 'viem';
import {
  CURVE_ABI,
  LAUNCHPAD_ABI,
  LOCAL_LAUNCHPAD_ADDRESS,
  VIRTUAL_COIN,
} from '#libs/devkit/devnet/evm/launchpad/contracts.js';
import { LocalWorld, SLUGS } from '#libs/devkit/devnet/evm/test/local-world.js';
import { scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import type { EvmTransaction } from '#libs/serve/contract/rest/evm/swap-body.js';
import { COIN, EvmCreators } from './evm-creators.js';
import { LaunchWorld, refused } from './launch-world.js';

/** Creates on the launchpad of every local chain: what was promised is what the chain has after they are mined. */
const TOKEN_ABI = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function contractURI() view returns (string)',
  'function curve() view returns (address)',
  'function balanceOf(address) view returns (uint256)',
]);
describe.each(SLUGS)('creates on %s', (slug) => {
  let local: LocalWorld;
  let world: LaunchWorld;
  /** Creates that the limit counted. */
  let counted = 0;
  const counting = () => {
    counted++;
    return 0;
  };
  let on: EvmCreators;

  beforeAll(async () => {
    local = await LocalWorld.start(slug, 23, 8);
    world = await LaunchWorld.start({ localNodes: new Map([[slug, local.chain.rpcUrl]]), limits: { take: counting } });
    on = new EvmCreators(local, world, slug, 'tidepool');
  }, 180_000);
  afterAll(async () => {
    await world?.close();
    await local?.close();
  });

  const view = (to: string, name: (typeof TOKEN_ABI)[number]['name']) => on.view(TOKEN_ABI, to, name);

  it('land as they were promised: address, curve, first buy, metadata, cost', async () => {
    await withSeed(`creates on ${slug}`, async (random) => {
      const creates = scaled(200, 4);
      let bought = 0;
      for (let n = 0; n < creates || bought === 0; n++) {
        expect(n).toBeLessThan(creates + 50);
        const creator = await on.funded(10n * COIN);
        const initialBuy = random.chance(0.3) ? 0n : (VIRTUAL_COIN * BigInt(1 + random.below(400))) / 100n;
        const slippageBps = random.pick([0, 50, 10_000]);
        const fields = {
          name: `Drift ${n}`,
          symbol: `DR${n}`,
          description: 'Goes out\nand comes back',
          website: 'https://example.com/',
        };
        const body = on.asked(creator, { ...fields, initialBuy: String(initialBuy), slippageBps });
        const built = await on.created(body);
        expect(built).toMatchObject({ chain: slug, platform: 'tidepool', warnings: [] });
        expect(built.signers).toEqual([{ address: creator.address.toLowerCase(), secretKey: null }]);
        expect(Object.keys(built.transactions[0] as EvmTransaction).sort()).toEqual([
          ...[
            'chainId',
            'data',
            'description',
            'from',
            'gas',
            'maxFeePerGas',
            'maxPriorityFeePerGas',
            'to',
            'type',
            'value',
          ],
        ]);
        // Other launches before it move nothing.
        const other = encodeFunctionData({ abi: LAUNCHPAD_ABI, functionName: 'launch', args: ['Other', 'OTH'] });
        if (random.chance(0.5)) await local.wallet.run(LOCAL_LAUNCHPAD_ADDRESS, other, 0n, 9_000_000n);
        const before = await on.coins(creator.address);
        expect((await on.send(creator, built.transactions[0]!)).status).toBe('0x1');
        const spent = before - (await on.coins(creator.address));
        expect(spent <= BigInt(built.cost.total)).toBe(true);
        expect(await view(built.address, 'name')).toBe(fields.name);
        expect(await view(built.address, 'symbol')).toBe(fields.symbol);
        expect(await view(built.address, 'contractURI')).toBe(built.metadataUri);
        expect(String(await view(built.address, 'curve')).toLowerCase()).toBe(built.curve);
        const held = await local.balance(built.address, creator.address);
        expect(built.buy === null).toBe(initialBuy === 0n);
        expect(held).toBe(BigInt(built.buy?.outAmount ?? 0));
        if (built.buy !== null) {
          bought++;
          const { outAmount, minOutAmount } = built.buy;
          expect(BigInt(minOutAmount)).toBe((BigInt(outAmount) * BigInt(10_000 - slippageBps)) / 10_000n);
          const data = await local.call(built.curve, encodeFunctionData({ abi: CURVE_ABI, functionName: 'remaining' }));
          expect(793_100_000n * COIN - BigInt(data)).toBe(held);
        }
        const metadata = await (await fetch(built.metadataUri)).json();
        const { website } = fields;
        expect(metadata).toEqual({ ...fields, image: body.image, external_url: website });
      }
    });
  }, 600_000);

  it('is refused by its own floor where the curve gives less, and by the chain where it was done already', async () => {
    const creator = await on.funded(10n * COIN);
    const built = await on.created(on.asked(creator, { initialBuy: COIN.toString() }));
    const [transaction] = built.transactions as [EvmTransaction];
    // The last word of the head is the floor: one unit more than it gives.
    const place = 2 + 8 + 4 * 64;
    const floor = (BigInt(built.buy!.outAmount) + 1n).toString(16).padStart(64, '0');
    const data = transaction.data.slice(0, place) + floor + transaction.data.slice(place + 64);
    expect((await on.send(creator, { ...transaction, data })).status).toBe('0x0');
    expect((await on.send(creator, transaction)).status).toBe('0x1');
    expect((await on.send(creator, transaction)).status).toBe('0x0');
  });

  it('is refused without the coins for it', async () => {
    for (const [eth, initialBuy, message] of [
      [0n, '0', /^the creator has 0 wei and needs \d+$/],
      [
        COIN,
        COIN.toString(),
        /^the creator has 1000000000000000000 wei and needs \d+: 1000000000000000000 for the first buy and \d+ for gas/,
      ],
      [
        COIN,
        (2n * COIN).toString(),
        /^the creator has 1000000000000000000 wei and needs 2000000000000000000 for the first buy/,
      ],
    ] as const) {
      const reply = await on.post(on.asked(await on.funded(eth), { initialBuy }));
      expect([reply.status, reply.body]).toEqual([422, refused('insufficient_funds', message)]);
    }
  });

  it('leaves nothing where the wallet does not sign it', async () => {
    const creator = await on.funded(10n * COIN);
    const launches = await on.view(LAUNCHPAD_ABI, LOCAL_LAUNCHPAD_ADDRESS, 'count');
    const { rpc } = local.chain;
    const before = counted;
    const order = on.asked(creator, { initialBuy: COIN.toString() });
    const built = await on.created(order);
    for (let n = 0; n < 3; n++) await local.chain.mine({ traders: false });
    for (const address of [built.address, built.curve])
      expect(await rpc.call('eth_getCode', [address, 'latest'])).toBe('0x');
    expect(await on.view(LAUNCHPAD_ABI, LOCAL_LAUNCHPAD_ADDRESS, 'count')).toBe(launches);
    expect([
      await on.coins(creator.address),
      await rpc.call('eth_getTransactionCount', [creator.address, 'latest']),
    ]).toEqual([...[10n * COIN, '0x0']]);
    expect(counted - before).toBe(1);
    // It blocks no other one, and can still be signed.
    for (const each of [await on.created(order), built]) {
      expect((await on.send(creator, each.transactions[0]!)).status).toBe('0x1');
      expect(String(await view(each.address, 'curve')).toLowerCase()).toBe(each.curve);
    }
    expect(counted - before).toBe(2);
  });

  it('says that the launchpad is missing where it does not stand', async () => {
    const creator = await on.funded(COIN);
    const { rpc } = local.chain;
    const code = await rpc.call('eth_getCode', [LOCAL_LAUNCHPAD_ADDRESS, 'latest']);
    await rpc.call('anvil_setCode', [LOCAL_LAUNCHPAD_ADDRESS, '0x']);
    const reply = await on.post(on.asked(creator));
    await rpc.call('anvil_setCode', [LOCAL_LAUNCHPAD_ADDRESS, code]);
    expect([reply.status, reply.body]).toEqual([
      501,
      refused('not_wired', /no tidepool launchpad stands at 0x74696465/),
    ]);
    // A buy of nothing that the curve could give for.
    const tiny = await on.post(on.asked(creator, { initialBuy: '1' }));
    expect([tiny.status, tiny.body]).toEqual([409, refused('simulation_failed', /too little/)]);
    expect(world.problems).toEqual([]);
  });
});
