import {
  buySupplyWithSwapRouterHookABI,
  buySupplyWithSwapRouterHookAddress,
  coinFactoryABI,
  coinFactoryAddress,
  coinV4ABI,
  encodeMultiCurvePoolConfig,
} from '@zoralabs/protocol-deployments';
import {
  encodeAbiParameters,
  encodeErrorResult,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbiParameters,
  zeroAddress,
} from 'viem';
import { base } from '#libs/chain/catalogue/test/chain-specs.js';
import { type SeededRandom, scaled, withSeed } from '#libs/devkit/testing/seeded-random.js';
import type { EvmTransaction } from '#libs/serve/contract/rest/evm/swap-body.js';
import type { CreateOrder } from '../../ports.js';
import { type AskedCall, FakeEvmNode, GAS_USED, HELD } from '../test/fake-evm-node.js';
import { evmZora } from './builder.js';
import { deployCoin } from './deploy-coin.js';

/** The factory's call equals what Zora's published packages encode, byte for byte; its builder reads what the factory answers. */
const randomHex = (random: SeededRandom, bytes: number): string =>
  Array.from({ length: bytes }, () => random.below(256).toString(16).padStart(2, '0')).join('');

const orderOf = (creator: string, initialBuy: bigint, more: Partial<CreateOrder> = {}): CreateOrder => ({
  ...{ chain: base, creator, mint: null, slippageBps: 100, uri: 'https://r.example.com/x.json', initialBuy },
  ...{ name: 'Spring Tide', symbol: 'TIDE', description: '', image: 'https://x.example.com/y.png', links: {}, ...more },
});

/** The pool of the SDK for a coin that pairs with the chain's own (COIN_ETH_PAIR_POOL_CONFIG of @zoralabs/coins-sdk 0.6.0). */
const poolConfig = encodeMultiCurvePoolConfig({
  ...{ currency: zeroAddress, tickLower: [-250_000], tickUpper: [-195_000], numDiscoveryPositions: [11] },
  maxDiscoverySupplyShare: [50_000_000_000_000_000n],
});

function theirs({ creator: id, name, symbol, uri, initialBuy }: CreateOrder, salt: Hex, least: bigint): Hex {
  const creator: Hex = `0x${id}`;
  const buy = encodeFunctionData({
    abi: buySupplyWithSwapRouterHookABI,
    functionName: 'encodeBuySupplyWithV4SwapHookData',
    args: [
      {
        ...{ buyRecipient: creator, v3Route: '0x', v4Route: [], inputCurrency: zeroAddress },
        ...{ inputAmount: initialBuy, minAmountOut: least },
      },
    ],
  });
  const hook = initialBuy === 0n ? zeroAddress : buySupplyWithSwapRouterHookAddress[8453];
  const hookData: Hex = initialBuy === 0n ? '0x' : `0x${buy.slice(10)}`;
  const args = [creator, [creator], uri, name, symbol, poolConfig, zeroAddress, hook, hookData, salt] as const;
  return encodeFunctionData({ abi: coinFactoryABI, functionName: 'deploy', args });
}

it('the call is that of Zora’s packages', async () => {
  await withSeed('zora', async (random) => {
    for (let n = 0; n < scaled(200, 20); n++) {
      const initialBuy = random.chance(0.3) ? 0n : BigInt(`0x${randomHex(random, 1 + random.below(12))}`);
      const name = random.pick(['Tide', 'Né 🌊', 'a"b\\c']);
      const order = orderOf(randomHex(random, 20), initialBuy, { name, symbol: `T${n}` });
      const salt: Hex = `0x${randomHex(random, 32)}`;
      const least = BigInt(`0x${randomHex(random, 10)}`);
      expect(deployCoin(order, salt, least)).toBe(theirs(order, salt, least));
    }
  });
});

describe('a create', () => {
  const COIN: Hex = `0x${'c0'.repeat(20)}`;
  const FACTORY = coinFactoryAddress[8453].toLowerCase();
  const BOUGHT = 123_456_789_012_345_678_901n;
  const KEY = encodeAbiParameters(parseAbiParameters('address, address, uint24, int24, address'), [
    ...([zeroAddress, COIN, 0x800000, 200, `0x${'d0'.repeat(20)}`] as const),
  ]);
  const keyCall = encodeFunctionData({ abi: coinV4ABI, functionName: 'getPoolKey' });
  let [bought, there, works] = ['0x' as Hex, true, true];
  let node: FakeEvmNode;
  const answer = ({ to, data }: AskedCall): string | null => {
    if (!there) return '0x';
    if (to === FACTORY) return works ? encodeAbiParameters(parseAbiParameters('address, bytes'), [COIN, bought]) : null;
    if (to === COIN && data === keyCall) return KEY;
    throw new Error(`the builder asked ${to}`);
  };
  beforeAll(async () => {
    node = await FakeEvmNode.start(base, answer);
  });
  afterAll(() => node.close());

  it('is one transaction to the factory, with the floor that the slippage gives', async () => {
    for (const initialBuy of [0n, 10n ** 17n]) {
      bought =
        initialBuy === 0n ? '0x' : encodeAbiParameters(parseAbiParameters('uint256, uint256'), [initialBuy, BOUGHT]);
      const order = orderOf('a1'.repeat(20), initialBuy);
      const built = await node.build(evmZora, order);
      const transaction = built.transactions[0] as EvmTransaction & { data: Hex };
      const least = initialBuy === 0n ? 0n : (BOUGHT * 99n) / 100n;
      const salt: Hex = `0x${transaction.data.slice(2 + 8 + 64 * 9, 2 + 8 + 64 * 10)}`;
      expect(transaction.data).toBe(theirs(order, salt, least));
      expect([transaction.to, BigInt(transaction.value)]).toEqual([FACTORY, initialBuy]);
      expect(BigInt(transaction.gas)).toBe(GAS_USED + GAS_USED / 5n);
      expect([built.address, built.curve]).toEqual([COIN, keccak256(KEY)]);
      const buy = { inAmount: String(initialBuy), outAmount: String(BOUGHT), minOutAmount: String(least) };
      expect(built.buy).toEqual(initialBuy === 0n ? null : buy);
      // The last that ran is what is answered.
      expect(node.tried.at(-1)).toMatchObject(
        initialBuy === 0n ? { to: COIN, data: keyCall } : { to: FACTORY, data: transaction.data },
      );
    }
  });

  it('is refused where the coins are missing', async () => {
    await expect(node.build(evmZora, orderOf('a1'.repeat(20), HELD + 1n))).rejects.toMatchObject({
      ...{ status: 422, code: 'insufficient_funds' },
    });
    // All that it has leaves nothing for the gas.
    bought = encodeAbiParameters(parseAbiParameters('uint256, uint256'), [HELD, BOUGHT]);
    await expect(node.build(evmZora, orderOf('a1'.repeat(20), HELD))).rejects.toMatchObject({
      ...{ status: 422, code: 'insufficient_funds', message: expect.stringMatching(/for gas$/) },
    });
  });

  it('is refused where the factory is missing, or refuses', async () => {
    there = false;
    await expect(node.build(evmZora, orderOf('a1'.repeat(20), 0n))).rejects.toMatchObject({ code: 'not_wired' });
    [there, works] = [true, false];
    node.failure = encodeErrorResult({ abi: buySupplyWithSwapRouterHookABI, errorName: 'InsufficientOutputAmount' });
    await expect(node.build(evmZora, orderOf('a1'.repeat(20), 1n))).rejects.toMatchObject({
      ...{ code: 'simulation_failed', message: expect.stringMatching(/InsufficientOutputAmount\(\)$/) },
    });
  });
});
