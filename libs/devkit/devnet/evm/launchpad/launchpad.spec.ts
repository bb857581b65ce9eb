import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';
import { HexText } from '#libs/chain/chains/evm/hex-text.js';
import { withoutPrefix } from '#libs/chain/chains/evm/words.js';
import { tidepoolEvm } from '#libs/chain/launchpads/tidepool-evm/launchpad.js';
import {
  buyTokens,
  type CurveState,
  FOR_SALE,
  sellTokens,
  VIRTUAL_TOKENS,
} from '#libs/chain/launchpads/tidepool-evm/test/curve.js';
import type { VenueSite } from '#libs/chain/market-ports/evm/evm-venue.js';
import type { RpcLog } from '#libs/devkit/chain-builder/rpc-shapes.js';
import { propertySeeds, SeededRandom } from '#libs/devkit/testing/seeded-random.js';
import type { ChainEvent, PoolRecord } from '#libs/protocol/blocks.js';
import type { Receipt } from '../test/local-wallet.js';
import { approve, COIN, LocalWorld, transfer } from '../test/local-world.js';
import { readAll } from '../test/read-chain.js';
import { CURVE_ABI, LAUNCHPAD_ABI, LOCAL_LAUNCHPAD_ADDRESS, VIRTUAL_COIN } from './contracts.js';

/** The launchpad on a local chain: amounts to the wei, graduation into the pair, traders that move the boards, and its log. */
const [seed] = propertySeeds(1) as [number];
const SUPPLY = 10n ** 27n;
let world: LocalWorld;
beforeAll(async () => {
  world = await LocalWorld.start('eth', 11, 260);
}, 180_000);
afterAll(() => world.close(), 60_000);

type Curve = Record<'curve' | 'token' | 'pair', Hex>;
type Call = Parameters<typeof encodeFunctionData<typeof CURVE_ABI>>[0] extends infer T ? T : never;

const onCurve = (functionName: 'buy' | 'sell' | 'token' | 'pair', args: readonly unknown[] = []): Hex =>
  encodeFunctionData({ abi: CURVE_ABI, functionName, args } as unknown as Call);
const address = (word: Hex): Hex => `0x${word.slice(26)}`;

async function launched(value: bigint): Promise<Curve> {
  const data = encodeFunctionData({ abi: LAUNCHPAD_ABI, functionName: 'launch', args: ['Sandbar', 'SAND'] });
  expect((await world.wallet.run(LOCAL_LAUNCHPAD_ADDRESS, data, value, 9_000_000n)).status).toBe('0x1');
  const count = await world.read('count', LOCAL_LAUNCHPAD_ADDRESS);
  const index = encodeFunctionData({ abi: LAUNCHPAD_ABI, functionName: 'curves', args: [count - 1n] });
  const found = await world.call(LOCAL_LAUNCHPAD_ADDRESS, index);
  const curve = decodeFunctionResult({ abi: LAUNCHPAD_ABI, functionName: 'curves', data: found }).toLowerCase() as Hex;
  const [token, pair] = await Promise.all([world.call(curve, onCurve('token')), world.call(curve, onCurve('pair'))]);
  return { curve, token: address(token), pair: address(pair) };
}

async function stateOf(curve: Hex): Promise<CurveState & { raised: bigint; fees: bigint }> {
  const names = ['virtualCoin', 'virtualTokens', 'remaining', 'raised', 'fees'] as const;
  const values = await Promise.all(names.map((name) => world.read(name, curve)));
  return Object.fromEntries(names.map((name, n) => [name, values[n]])) as never;
}

const spent = async (work: () => Promise<Receipt>): Promise<bigint> => {
  const before = await world.wallet.coins();
  const { status, gasUsed, effectiveGasPrice } = await work();
  expect(status).toBe('0x1');
  return before - (await world.wallet.coins()) - BigInt(gasUsed) * BigInt(effectiveGasPrice);
};

it(`pays and takes what the mathematics say, to the wei (seed ${seed})`, async () => {
  const random = new SeededRandom(seed);
  const { wallet } = world;
  const first = COIN / 50n;
  const { curve, token } = await launched(first);
  let state: CurveState = { virtualCoin: VIRTUAL_COIN, virtualTokens: VIRTUAL_TOKENS, remaining: FOR_SALE };
  let [held, fees] = [0n, 0n];
  const bought = (amount: bigint) => {
    const { taken, tokens, fee } = buyTokens(state, amount)!;
    const { virtualCoin, virtualTokens, remaining } = state;
    state = {
      virtualCoin: virtualCoin + taken - fee,
      virtualTokens: virtualTokens - tokens,
      remaining: remaining - tokens,
    };
    held += tokens;
    fees += fee;
    return taken;
  };
  bought(first);
  expect(await world.balance(token)).toBe(held);
  await wallet.run(token, approve(curve));
  for (let n = 0; n < 24; n++) {
    if (random.chance(0.5) || held === 0n) {
      const amount = 1n + random.bits(random.pick([8, 40, 58]));
      if (buyTokens(state, amount) === null) continue;
      const taken = bought(amount);
      expect(await spent(() => wallet.run(curve, onCurve('buy', [wallet.address, 0n]), amount))).toBe(taken);
    } else {
      const tokens = random.chance(0.2) ? held : (held * BigInt(random.int(1, 900))) / 1000n;
      const sold = sellTokens(state, tokens);
      if (sold === null) continue;
      expect(await spent(() => wallet.run(curve, onCurve('sell', [tokens, wallet.address, 0n])))).toBe(-sold.paid);
      const { virtualCoin, virtualTokens, remaining } = state;
      state = {
        virtualCoin: virtualCoin - sold.paid - sold.fee,
        virtualTokens: virtualTokens + tokens,
        remaining: remaining + tokens,
      };
      held -= tokens;
      fees += sold.fee;
    }
    const raised = state.virtualCoin - VIRTUAL_COIN;
    expect(await stateOf(curve)).toEqual({ ...state, raised, fees });
    expect(await world.balance(token)).toBe(held);
    const holds = BigInt(await world.chain.rpc.call<string>('eth_getBalance', [curve, 'latest']));
    expect(holds).toBe(raised + fees);
  }
});

it('refuses what it cannot do, and lets nothing into the pair before it graduates', async () => {
  const { wallet } = world;
  const { curve, token, pair } = await launched(COIN / 10n);
  await wallet.run(token, approve(curve));
  const held = await world.balance(token);
  const refused: [string, Hex, bigint][] = [
    [curve, onCurve('buy', [wallet.address, 0n]), 0n],
    [curve, onCurve('buy', [wallet.address, SUPPLY]), COIN],
    [curve, onCurve('sell', [0n, wallet.address, 0n]), 0n],
    [curve, onCurve('sell', [held + 1n, wallet.address, 0n]), 0n],
    [curve, onCurve('sell', [held, wallet.address, COIN]), 0n],
    [token, transfer(pair, 1n), 0n],
  ];
  for (const [to, data, value] of refused) expect((await wallet.run(to, data, value)).status).toBe('0x0');
  expect(await world.balance(token)).toBe(held);
});

it('graduates with its last sale: all that it raised and the rest of the supply are in the pair, for ever', async () => {
  const { wallet } = world;
  const { curve, token, pair } = await launched(0n);
  const start = { virtualCoin: VIRTUAL_COIN, virtualTokens: VIRTUAL_TOKENS, remaining: FOR_SALE };
  const { taken, tokens, fee } = buyTokens(start, 20n * COIN)!;
  expect(tokens).toBe(FOR_SALE);
  expect(await spent(() => wallet.run(curve, onCurve('buy', [wallet.address, 0n]), 20n * COIN))).toBe(taken);
  expect(await stateOf(curve)).toMatchObject({ remaining: 0n, raised: 0n, fees: fee });
  expect(await world.balance(token, pair)).toBe(SUPPLY - FOR_SALE);
  expect(await world.balance(world.coin, pair)).toBe(taken - fee);
  // The pair begins at the price at which the curve ended.
  const ofCurve = Number((VIRTUAL_COIN + taken - fee) * 10n ** 18n) / Number(VIRTUAL_TOKENS - FOR_SALE);
  const ofPair = Number((taken - fee) * 10n ** 18n) / Number(SUPPLY - FOR_SALE);
  expect(ofPair / ofCurve).toBeCloseTo(1, 2);
  expect((await wallet.run(token, transfer(pair, 1n))).status).toBe('0x1');
  expect((await wallet.run(curve, onCurve('buy', [wallet.address, 0n]), COIN)).status).toBe('0x0');
});

it('has traders that launch, trade and graduate tokens, and a log from which every curve follows', async () => {
  const venue = tidepoolEvm.curves!;
  const coin = withoutPrefix(world.coin);
  const site: VenueSite = {
    venue,
    factory: withoutPrefix(LOCAL_LAUNCHPAD_ADDRESS),
    contracts: {},
    coin,
    trustedHooks: new Set(),
  };
  const { receipts } = await readAll(world.chain.rpc);
  const pools = new Map<string, PoolRecord>();
  const events: ChainEvent[] = [];
  for (const log of receipts.flat().flatMap((receipt) => receipt.logs as RpcLog[])) {
    const topic = log.topics[0]!;
    const input = { ...log, data: HexText.read(log.data)! };
    const made = log.address === LOCAL_LAUNCHPAD_ADDRESS ? (venue.creations[topic]?.(input, site) ?? null) : null;
    if (made !== null) pools.set(made.pool, made);
    const event = venue.events[topic]?.decode(input, 0, 0) ?? null;
    if (event !== null) events.push(event);
  }
  expect(pools.size).toBe(Number(await world.read('count', LOCAL_LAUNCHPAD_ADDRESS)));
  let graduated = 0;
  for (const record of pools.values()) {
    const calls = venue.anchor.calls(record, site);
    const answers = await Promise.all(calls.map(({ to, data }) => world.call(`0x${to}`, `0x${data}`)));
    const anchor = venue.anchor.read(
      record,
      site,
      answers.map((answer) => answer.slice(2)),
      [],
    )!;
    const own = events.filter((event) => 'pool' in event && event.pool === record.pool);
    const moved = own.flatMap((event) => (event.kind === 'swap' || event.kind === 'flow' ? [event] : []));
    const sum = (side: 'amount0' | 'amount1') => moved.reduce((total, event) => total + event[side], 0n);
    expect([sum('amount0'), sum('amount1')]).toEqual([anchor.reserve0, anchor.reserve1]);
    const last = own.findLast((event) => event.kind === 'swap');
    if (last?.kind === 'swap') expect(last.after!.sqrtPriceX96).toBe(anchor.concentrated!.sqrtPriceX96);
    const steps = events.flatMap((event) => (event.kind === 'launch' && event.curve === record.pool ? [event] : []));
    expect(steps[0]).toMatchObject({ step: 'created', launchpad: 'tidepool', progressPpm: 0 });
    const token = record.token0 === coin ? record.token1 : record.token0;
    expect(new Set(steps.map((step) => step.token))).toEqual(new Set([token]));
    const left = record.token0 === coin ? anchor.reserve1 : anchor.reserve0;
    expect(steps.at(-1)!.progressPpm).toBe(Number(((FOR_SALE - left) * 1_000_000n) / FOR_SALE));
    if (left > 0n) continue;
    graduated++;
    expect(steps.at(-1)).toMatchObject({ step: 'graduated', party: expect.stringMatching(/^[0-9a-f]{40}$/) });
    const claim = await Promise.all(
      venue.probe.calls(record.pool, site).map(({ to, data }) => world.call(`0x${to}`, `0x${data}`)),
    );
    const claimed = venue.probe.claim(
      record.pool,
      site,
      claim.map((answer) => answer.slice(2)),
    )!;
    expect(claimed).toEqual({ ...record, created: false });
    const { to, data } = venue.probe.confirmation(claimed, site)!;
    expect((await world.call(`0x${to}`, `0x${data}`)).slice(26)).toBe(record.pool);
  }
  // One of them is that of the test before.
  expect(graduated).toBeGreaterThan(1);
  expect(pools.size - graduated).toBeGreaterThan(2);
  expect(events.filter(({ kind }) => kind === 'swap').length).toBeGreaterThan(60);
});
