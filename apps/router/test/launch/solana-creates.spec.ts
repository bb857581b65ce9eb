import { servedChains } from '#libs/chain/catalogue/catalogue.js';
import { TIDEPOOL_LAUNCHPAD } from '#libs/chain/chains/solana/tidepool-programs.js';
import { MarketRunner } from '#libs/devkit/devnet/solana/market/market-runner.js';
import { SeededKey } from '#libs/devkit/devnet/solana/market/seeded-key.js';
import { rpcCall } from '#libs/devkit/devnet/solana/test/rpc-call.js';
import { scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import type { LaunchCreated } from '#libs/serve/contract/rest/launch/launch-body.js';
import { associatedId, curveKeys, idOf, readCurve, WRAPPED_MINT } from '#programs/client.js';
import { LaunchWorld, refused } from './launch-world.js';
import { signedCreate } from './signed-create.js';

/** Creates on the launchpad of a local Solana chain: what was promised is what the chain has after they are sent. */
const SOL = 1_000_000_000n;
const { ids } = servedChains().find(({ family }) => family === 'solana')!;
let market: MarketRunner;
let world: LaunchWorld;
/** Creates that the limit counted. */
let counted = 0;
const counting = () => {
  counted++;
  return 0;
};

beforeAll(async () => {
  market = await MarketRunner.start({ seed: 31, historyBlocks: 6, historySeconds: 600, autoSlots: false, quiet: true });
  const { rpcUrl } = market.chain;
  world = await LaunchWorld.start({ localNodes: new Map([['sol', rpcUrl]]), limits: { take: counting } });
});
afterAll(async () => {
  await world.close();
  await market.chain.stop();
});

let keys = 0;
function funded(lamports: bigint): SeededKey {
  const key = new SeededKey(`creator ${keys++}`);
  if (lamports > 0n) market.fund(key.address, { lamports });
  // What a node answers is confirmed a block later.
  market.slot({ traders: false });
  return key;
}

const asked = (creator: SeededKey, more: object = {}) => ({
  ...{ platform: 'tidepool', creator: creator.address, name: 'Spring Tide', symbol: 'TIDE', image: world.sampleImage },
  ...{ rpcUrl: market.chain.rpcUrl, ...more },
});

async function created(body: object): Promise<LaunchCreated> {
  const reply = await world.post('/launch/sol', body);
  expect([reply.status, reply.body.error]).toEqual([200, null]);
  return reply.body.data;
}

/** Signs as a wallet does, sends, makes a block; the outcome. */
function send(built: LaunchCreated, creator: SeededKey, mint: SeededKey | null): unknown {
  const signature = market.chain.send(signedCreate(built, mint === null ? [creator] : [creator, mint]));
  market.slot({ traders: false });
  const result = market.chain.resultOf(signature);
  market.slot({ traders: false });
  return result;
}

const account = (id: string) => market.chain.account(ids.formatAddress(id));
const lamports = (key: SeededKey): bigint => market.chain.account(key.address)?.lamports ?? 0n;

it('land as they were promised: address, curve, first buy, metadata, cost', async () => {
  await withSeed('creates', async (random) => {
    const creates = scaled(200, 6);
    const met = { bought: 0, own: 0, made: 0 };
    for (let n = 0; n < creates || Math.min(met.bought, met.own, met.made) === 0; n++) {
      expect(n).toBeLessThan(creates + 50);
      const creator = funded(200n * SOL);
      const mint = random.chance(0.5) ? new SeededKey(`mint ${n} of ${creator.address}`) : null;
      const initialBuy = random.chance(0.3) ? 0n : BigInt(1 + random.below(120)) * (SOL + BigInt(n));
      const slippageBps = random.pick([0, 50, 10_000]);
      const fields = { name: `Drift ${n}`, symbol: `DR${n}` };
      const named = mint === null ? {} : { mint: mint.address };
      const built = await created(asked(creator, { ...fields, ...named, initialBuy: String(initialBuy), slippageBps }));
      met[mint === null ? 'made' : 'own']++;
      if (mint !== null) expect(built.address).toBe(mint.address);
      expect(built.signers).toEqual([
        { address: creator.address, secretKey: null },
        { address: built.address, secretKey: mint === null ? expect.any(String) : null },
      ]);
      const before = lamports(creator);
      expect(send(built, creator, mint)).toBeNull();
      const taken = BigInt(built.buy?.inAmount ?? 0);
      const { networkFee, rent, total } = built.cost;
      expect(before - lamports(creator)).toBe(BigInt(networkFee) + BigInt(rent) + taken);
      expect(BigInt(total)).toBe(BigInt(networkFee) + BigInt(rent) + initialBuy);
      const keysOf = curveKeys(idOf(TIDEPOOL_LAUNCHPAD), idOf(built.address), WRAPPED_MINT);
      expect(ids.formatAddress(keysOf.id)).toBe(built.curve);
      const curve = readCurve(keysOf.id, account(keysOf.id)!.data)!;
      expect(curve).toMatchObject({
        ...fields,
        uri: built.metadataUri,
        creator: creator.id,
        mint: idOf(built.address),
      });
      expect(built.buy === null).toBe(initialBuy === 0n);
      const tokens = account(associatedId(creator.id, keysOf.mint));
      const held = tokens === null ? 0n : Buffer.from(tokens.data).readBigUInt64LE(64);
      expect(held).toBe(BigInt(built.buy?.outAmount ?? 0));
      expect(curve.forSale - curve.remaining).toBe(held);
      if (built.buy === null) continue;
      met.bought++;
      const { outAmount, minOutAmount } = built.buy;
      expect(BigInt(minOutAmount)).toBe((BigInt(outAmount) * BigInt(10_000 - slippageBps)) / 10_000n);
      // The account of wrapped coins is gone again.
      expect(account(associatedId(creator.id, WRAPPED_MINT))?.lamports ?? 0n).toBe(0n);
    }
  });
}, 600_000);

it('are not built where the launchpad does not stand', async () => {
  for (const initialBuy of ['0', SOL.toString()]) {
    const reply = await world.post('/launch/sol', asked(funded(10n * SOL), { platform: 'pumpfun', initialBuy }));
    expect([reply.status, reply.body]).toEqual([501, refused('not_wired', /does not stand on the chain of this node/)]);
  }
});

it('keep the metadata before they answer, and no key', async () => {
  const creator = funded(SOL);
  const built = await created(asked(creator, { description: 'Goes out', telegram: 'https://t.me/tide' }));
  const served = await fetch(built.metadataUri);
  expect(Object.fromEntries(served.headers)).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  });
  const text = await served.text();
  expect(JSON.parse(text)).toEqual({
    ...{ name: 'Spring Tide', symbol: 'TIDE', description: 'Goes out', image: world.sampleImage },
    telegram: 'https://t.me/tide',
  });
  const other = await fetch(`${world.router.url}/launch/files/${'a'.repeat(43)}.json`);
  expect([other.status, await other.json()]).toEqual([404, refused('not_found', /there is no file/)]);
});

it('leave an account of wrapped coins that was there before', async () => {
  const creator = funded(10n * SOL);
  market.fund(creator.address, { tokens: [{ mint: ids.formatAddress(WRAPPED_MINT), amount: 5_000n }] });
  market.slot({ traders: false });
  const built = await created(asked(creator, { initialBuy: SOL.toString() }));
  expect(send(built, creator, null)).toBeNull();
  const coins = account(associatedId(creator.id, WRAPPED_MINT))!;
  expect(Buffer.from(coins.data).readBigUInt64LE(64)).toBe(5_000n);
});

it('leave nothing where the wallet does not sign in time', async () => {
  const creator = funded(10n * SOL);
  const before = counted;
  const order = asked(creator, { initialBuy: SOL.toString() });
  const built = await created(order);
  // A blockhash is good for 150 blocks.
  for (let n = 0; n < 151; n++) market.slot({ traders: false });
  const wire = signedCreate(built, [creator]).toString('base64');
  const { error } = await rpcCall(market.chain.rpcUrl, 'sendTransaction', wire, { encoding: 'base64' });
  expect(error?.message).toMatch(/blockhash not found/i);
  market.slot({ traders: false });
  for (const address of [built.address, built.curve]) expect(market.chain.account(address)).toBeNull();
  expect([lamports(creator), counted - before]).toEqual([10n * SOL, 1]);
  // It blocks no other one.
  expect(send(await created(order), creator, null)).toBeNull();
  expect(counted - before).toBe(2);
});

it('is refused without the coins for it, and for a mint that is there', async () => {
  for (const [held, initialBuy] of [
    [0n, '0'],
    [SOL, SOL.toString()],
    [1_000_000n, '0'],
  ] as const) {
    const creator = funded(held);
    const reply = await world.post('/launch/sol', asked(creator, { initialBuy }));
    expect([reply.status, reply.body]).toEqual([
      422,
      refused('insufficient_funds', new RegExp(`^the creator has ${held} lamports and needs`)),
    ]);
  }
  const creator = funded(SOL);
  const mint = new SeededKey('a mint that is there');
  const built = await created(asked(creator, { mint: mint.address }));
  expect(send(built, creator, mint)).toBeNull();
  const again = await world.post('/launch/sol', asked(creator, { mint: mint.address }));
  expect([again.status, again.body]).toEqual([
    400,
    refused('bad_request', /^mint must be the address of an account that is not there/),
  ]);
  expect(world.problems).toEqual([]);
});
