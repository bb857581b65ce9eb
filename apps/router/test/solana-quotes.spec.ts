import { TIDEPOOL_AMM, TIDEPOOL_LAUNCHPAD, TIDEPOOL_SWAP } from '#libs/chain/chains/solana/tidepool-programs.js';
import { poolOut } from '#libs/devkit/devnet/solana/market/program-amounts.js';
import { until } from '#libs/devkit/testing/until.js';
import { setPaused, setRow } from '#programs/client.js';
import { COIN, hex, SolanaWorld } from './solana-world.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const U64 = (1n << 64n) - 1n;

/** Quotes of Solana over a local chain: what they hold, how they are asked for, and which venues they go over. */
describe('quotes of Solana', () => {
  let world: SolanaWorld;
  let usdc: string;

  beforeAll(async () => {
    world = await SolanaWorld.start();
    usdc = world.mint('USDC');
  });
  afterAll(() => world?.close());

  const usual = () => ({ inputMint: COIN, outputMint: usdc, amount: '1000000000' });
  const refusal = async (more: Record<string, string>) => {
    const { status, body } = await world.quote({ ...usual(), ...more });
    return [status, body.error];
  };

  it('have Jupiter’s object and what is added, priced as the program computes', async () => {
    const { status, body, headers } = await world.quote({ ...usual(), onlyDirectRoutes: 'true' });
    expect(status).toBe(200);
    world.fits('SolQuote', body);
    expect(headers.get('cache-control')).toBe('no-store');
    const step = body.routePlan[0].swapInfo;
    const { pools } = world.market.contents();
    const between = pools.filter(({ mintA, mintB }) => [mintA, mintB].sort().join() === [COIN, usdc].sort().join());
    // A naive look at the chain itself: the best of all direct pools.
    const outs = between.map(({ mintA, vaultA, vaultB, feeBps }) => {
      const [from, to] = mintA === COIN ? [vaultA, vaultB] : [vaultB, vaultA];
      return poolOut(heldAt(from), heldAt(to), 1_000_000_000n, BigInt(feeBps))!;
    });
    expect(outs.length).toBeGreaterThan(0);
    const best = outs.sort((a, b) => Number(b - a))[0]!;
    expect(body).toMatchObject({
      inputMint: COIN,
      outputMint: usdc,
      inAmount: '1000000000',
      outAmount: String(best),
      otherAmountThreshold: String((best * 9_950n) / 10_000n),
      swapMode: 'ExactIn',
      slippageBps: 50,
      platformFee: null,
      programId: TIDEPOOL_SWAP,
      expiresAt: new Date(world.clock.ms + 30_000).toISOString(),
    });
    expect(body.quoteId).toMatch(UUID);
    expect(step).toMatchObject({ label: 'Tidepool AMM', inAmount: '1000000000', feeMint: COIN });
    expect([body.routePlan[0].percent, body.routePlan[0].bps]).toEqual([100, 10_000]);
    expect(body).not.toHaveProperty('routeTicket');
    expect(Number(body.priceImpactPct)).toBeGreaterThanOrEqual(0);
  });

  const heldAt = (address: string): bigint =>
    Buffer.from(world.market.chain.account(address)!.data).readBigUInt64LE(64);

  it('are the same by GET and POST, for every spelling of the coin, and each has an id of its own', async () => {
    const answers = [
      await world.quote(usual()),
      await world.post('/quote', usual()),
      await world.post('/quote', JSON.stringify(usual()).replace('"1000000000"', '1000000000')),
      ...(await Promise.all(
        ['native', 'SOL', 'sol', `0x${'E'.repeat(40)}`].map((inputMint) => world.quote({ ...usual(), inputMint })),
      )),
    ];
    const bare = answers.map(({ status, body: { quoteId, timeTaken, contextSlot, ...rest } }) => ({ status, rest }));
    for (const each of bare) expect(each).toEqual(bare[0]);
    expect(new Set(answers.map(({ body }) => body.quoteId)).size).toBe(answers.length);
  });

  it('cost the least input for an exact output', async () => {
    const { body } = await world.quote({ ...usual(), swapMode: 'ExactOut', amount: '150000000' });
    world.fits('SolQuote', body);
    expect(body).toMatchObject({ swapMode: 'ExactOut', outAmount: '150000000' });
    const asked = BigInt(body.inAmount);
    expect(body.otherAmountThreshold).toBe(String((asked * 10_050n) / 10_000n));
    const given = (await world.quote({ ...usual(), amount: String(asked) })).body;
    const less = (await world.quote({ ...usual(), amount: String(asked - 1n) })).body;
    expect(BigInt(given.outAmount)).toBeGreaterThanOrEqual(150_000_000n);
    expect(BigInt(less.outAmount)).toBeLessThan(150_000_000n);
  });

  it('go over several hops up to maxHops, and split an amount that moves a pool', async () => {
    const [from, to] = [world.mint('STRN'), world.mint('CORM')];
    const ask = (more: object) => world.quote({ inputMint: from, outputMint: to, amount: '1000000', ...more });
    expect((await ask({})).body.routePlan.length).toBe(3);
    expect((await ask({ maxHops: '9' })).status).toBe(200);
    for (const fewer of [{ maxHops: '2' }, { maxHops: '0' }, { onlyDirectRoutes: 'true', maxHops: '4' }]) {
      const { status, body } = await ask(fewer);
      expect([status, body.error]).toEqual([404, 'no_route']);
      expect(body.quoteId).toMatch(UUID);
    }
    const large = (await world.quote({ ...usual(), amount: '3000000000000' })).body;
    world.fits('SolQuote', large);
    const legs = large.routePlan.filter(
      (step: { swapInfo: { inputMint: string } }) => step.swapInfo.inputMint === COIN,
    );
    expect(legs.length).toBeGreaterThan(1);
    expect(legs.reduce((sum: number, { bps }: { bps: number }) => sum + bps, 0)).toBe(10_000);
    expect(
      legs.reduce(
        (sum: bigint, { swapInfo }: { swapInfo: { inAmount: string } }) => sum + BigInt(swapInfo.inAmount),
        0n,
      ),
    ).toBe(3_000_000_000_000n);
    const direct = (await world.quote({ ...usual(), amount: '3000000000000', onlyDirectRoutes: 'true' })).body;
    expect(BigInt(large.outAmount)).toBeGreaterThan(BigInt(direct.outAmount));
    expect(Number(large.priceImpactPct)).toBeGreaterThan(0.001);
  });

  it('take a platform fee from the side that is not exact, up to what the config allows', async () => {
    const plain = (await world.quote({ ...usual(), onlyDirectRoutes: 'true' })).body;
    const paid = (await world.quote({ ...usual(), onlyDirectRoutes: 'true', platformFeeBps: '50' })).body;
    const fee = (BigInt(plain.outAmount) * 50n) / 10_000n;
    expect(paid.platformFee).toEqual({ amount: String(fee), feeBps: 50 });
    expect(BigInt(paid.outAmount)).toBe(BigInt(plain.outAmount) - fee);
    expect(await refusal({ platformFeeBps: '501' })).toEqual([400, 'bad_request']);
    expect(await refusal({ platformFeeBps: '10', feeBps: '20' })).toEqual([400, 'bad_request']);
  });

  it('refuse what breaks a rule without an id, and what has no route with one', async () => {
    const wrong: Record<string, string>[] = [
      ...['', 'x', COIN.slice(1), `${COIN}1`, '0x12'].map((inputMint) => ({ inputMint })),
      ...['', '-1', '1.0', '1e3', 'x', String(U64 + 1n)].map((amount) => ({ amount })),
      ...[
        { outputMint: 'SOL' },
        { slippageBps: '10001' },
        { swapMode: 'Both' },
        { maxHops: 'x' },
        { platformFeeBps: '10001' },
      ],
    ];
    for (const more of wrong) {
      const { status, body } = await world.quote({ ...usual(), ...more });
      expect([more, status, body.error, 'quoteId' in body]).toEqual([more, 400, 'bad_request', false]);
    }
    expect(await refusal({ amount: '00' })).toEqual([400, 'zero_amount']);
    expect(await refusal({ dexes: 'nothing' })).toEqual([400, 'unknown_dex']);
    for (const version of ['0', '2', 'legacy', '1.0']) {
      expect([version, ...(await refusal({ txVersion: version }))]).toEqual([version, 400, 'unsupported']);
    }
    expect(await refusal({ asLegacyTransaction: 'true' })).toEqual([400, 'unsupported']);
    expect((await world.quote({ ...usual(), txVersion: '1', asLegacyTransaction: 'false' })).status).toBe(200);
    const none = await world.quote({ ...usual(), outputMint: TIDEPOOL_AMM });
    expect([none.status, none.body.error]).toEqual([404, 'no_route']);
    expect(none.body.quoteId).toMatch(UUID);
    expect(await refusal({ excludeDexes: 'tidepool-amm, Tidepool' })).toEqual([404, 'no_route']);
    const much = await world.quote({ ...usual(), amount: String(U64), onlyDirectRoutes: 'true' });
    expect([much.status, much.body.error]).toEqual([422, 'low_liquidity']);
    world.fits('SolLowLiquidityBody', much.body);
    const { maxInAmount } = much.body.liquidity;
    expect((await world.quote({ ...usual(), amount: maxInAmount, onlyDirectRoutes: 'true' })).status).toBe(200);
    const dear = await world.quote({ ...usual(), amount: String(U64), swapMode: 'ExactOut' });
    expect([dear.status, dear.body.error]).toEqual([422, 'low_liquidity']);
    world.fits('SolLowLiquidityBody', dear.body);
  });

  it('go over the venues with a live row alone, as the chain has them now, and over those that are asked for', async () => {
    const { curves } = world.market.contents();
    const curve = curves.find(({ status, quoteMint }) => status === 'trading' && quoteMint === COIN)!;
    const buy = (more: object = {}) =>
      world.quote({ inputMint: COIN, outputMint: curve.mint, amount: '1000000', ...more });
    const label = (await buy()).body.routePlan[0].swapInfo.label;
    for (const dexes of ['tidepool', label, label.toUpperCase(), 'sol-tidepool', `nothing, ${label}`]) {
      expect([dexes, (await buy({ dexes })).status]).toEqual([dexes, 200]);
    }
    expect((await buy({ excludeDexes: label })).body.error).toBe('no_route');
    const row = (program: string, kind: 'pool' | 'curve', live: boolean) =>
      setRow(hex(TIDEPOOL_SWAP), world.deployer.id, { program: hex(program), kind, live });
    const seen = async () =>
      (await world.get('/venues')).body.venues as {
        id: string;
        servable: boolean;
        status: string;
        updatedSlot: number;
      }[];
    const statusOf = async (id: string) => (await seen()).find((venue) => venue.id === id)!;
    const slot = await world.administer(row(TIDEPOOL_LAUNCHPAD, 'curve', false));
    await until('the row is off', async () => (await statusOf('sol-tidepool')).status === 'off');
    expect(await statusOf('sol-tidepool')).toMatchObject({ servable: false, updatedSlot: expect.any(Number) });
    // Seen within a slot of the confirmation: no block was made since.
    expect((await statusOf('sol-tidepool')).updatedSlot - slot).toBeLessThanOrEqual(1);
    expect((await buy()).body.error).toBe('no_route');
    expect((await buy({ dexes: 'tidepool' })).status).toBe(404);
    await world.administer(row(TIDEPOOL_LAUNCHPAD, 'pool', true));
    await until('the row has another kind', async () => (await statusOf('sol-tidepool')).status === 'other_kind');
    expect((await buy()).body.error).toBe('no_route');
    await world.administer(row(TIDEPOOL_LAUNCHPAD, 'curve', true));
    await until('the row is live', async () => (await statusOf('sol-tidepool')).servable);
    // Pools of a venue are read again once its row is.
    await until('its pools are quoted', async () => (await buy()).status === 200);
    world.fits('SolVenuesAnswer', (await world.get('/venues')).body);
    const all = await seen();
    expect(all.filter(({ servable }) => servable).map(({ id }) => id)).toEqual(['sol-tidepool-amm', 'sol-tidepool']);
    expect(all.length).toBeGreaterThan(10);
    const labels = (await world.get('/program-id-to-label')).body;
    expect(Object.keys(labels)).toHaveLength(all.length);
    expect([labels[TIDEPOOL_AMM], labels[TIDEPOOL_LAUNCHPAD]]).toEqual(['Tidepool AMM', label]);
  });

  it('are answered while the program is paused; /ready says that it is', async () => {
    expect((await world.get('/ready')).body).toEqual({ ready: true, reasons: [], warnings: [] });
    await world.administer(setPaused(hex(TIDEPOOL_SWAP), world.deployer.id, true));
    await until('/ready tells of it', async () => (await world.get('/ready')).status === 503);
    expect((await world.get('/ready')).body.reasons).toEqual(['sol: the swap program is paused']);
    expect((await world.quote(usual())).status).toBe(200);
    await world.administer(setPaused(hex(TIDEPOOL_SWAP), world.deployer.id, false));
    await until('/ready is over it', async () => (await world.get('/ready')).status === 200);
  });

  it('have their paths and methods, and logged no error', async () => {
    for (const [path, allow] of [
      ['/quote', 'GET, POST'],
      ['/venues', 'GET'],
      ['/program-id-to-label', 'GET'],
      ['/receipts', 'GET'],
    ] as const) {
      const refused = await world.get(path, { method: 'DELETE' });
      expect([path, refused.status, refused.headers.get('allow'), refused.text]).toEqual([path, 405, allow, '']);
    }
    expect(world.problems).toEqual([]);
  });
});
