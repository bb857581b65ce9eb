import { jest } from '@jest/globals';
import { ApiError } from '#libs/serve/client/api-error.js';
import type { EvmChainRow } from '#libs/serve/contract/rest/evm/chain-body.js';
import type { TokenAnswer } from '#libs/serve/contract/rest/token-body.js';
import { learnFamilies } from '../state/families.js';
import { addressOfName, CoinBook, CoinError, coinName, NATIVE } from './coins.js';

const [WETH, USDC, ODD] = [`0x${'c0'.repeat(20)}`, `0x${'a0'.repeat(20)}`, `0x${'dd'.repeat(20)}`];
const row = {
  ...{ chain: 'eth', wrappedNative: WETH },
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
} as EvmChainRow;

const bodies: Record<string, object> = {
  [WETH]: { address: WETH, symbol: 'ETH', name: 'Wrapped Ether', decimals: 18 },
  [USDC]: { address: USDC.toUpperCase().replace('0X', '0x'), symbol: 'USDC', name: null, decimals: 6 },
  [ODD]: { address: ODD, symbol: 'ODD', name: 'Odd', decimals: null },
};

const book = () => {
  const asked: string[] = [];
  const token = async (_chain: string, address: string): Promise<TokenAnswer> => {
    asked.push(address);
    const data = bodies[address];
    if (data === undefined) throw new ApiError('not_found', 'unknown', 404);
    return { data } as TokenAnswer;
  };
  return { asked, coins: new CoinBook({ token }, row) };
};

afterEach(() => jest.useRealTimers());

it('knows the coin, asks for each token once, and keeps the wrapped coin apart by its name', async () => {
  const { asked, coins } = book();
  expect(coins.get(NATIVE)).toMatchObject({ symbol: 'ETH', decimals: 18 });
  expect(coins.get(USDC)).toBeNull();
  const [usdc, weth] = await Promise.all([coins.load(USDC), coins.load(WETH)]);
  expect(usdc).toEqual({
    chain: 'eth',
    address: USDC,
    symbol: 'USDC',
    name: USDC.toUpperCase().replace('0X', '0x'),
    decimals: 6,
  });
  expect(weth.symbol).toBe('WETH');
  expect(coins.get(USDC)).toBe(usdc);
  expect(asked).toEqual([USDC, WETH]);
});

it('takes no token of which amounts cannot be said', async () => {
  const { coins } = book();
  await expect(coins.load(ODD)).rejects.toThrow(CoinError);
  await expect(coins.load(`0x${'ee'.repeat(19)}00`)).rejects.toThrow('not known');
});

it('does not ask again at every drawing for what is not there', async () => {
  jest.useFakeTimers();
  const { asked, coins } = book();
  for (let drawing = 0; drawing < 5; drawing++) {
    expect(coins.get(ODD)).toBeNull();
    await jest.advanceTimersByTimeAsync(1_000);
  }
  expect(asked).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(10_000);
  coins.get(ODD);
  expect(asked).toHaveLength(2);
});

it('has names for an address bar', () => {
  for (const address of [NATIVE, USDC]) expect(addressOfName(coinName(address))).toBe(address);
  expect(addressOfName('NATIVE')).toBe(NATIVE);
});

it('takes the wrapped coin for the coin where the routes of its family mean it by that', () => {
  const wrapped = 'So11111111111111111111111111111111111111112';
  const solana = { ...row, chain: 'sol', wrappedNative: wrapped };
  learnFamilies([
    { chain: 'eth', family: 'evm' },
    { chain: 'sol', family: 'solana' },
  ]);
  const { coins } = book();
  const onSolana = new CoinBook({ token: async () => ({}) as TokenAnswer }, solana);
  expect([onSolana.swapped(wrapped), onSolana.swapped(USDC), coins.swapped(WETH)]).toEqual([NATIVE, USDC, WETH]);
});
