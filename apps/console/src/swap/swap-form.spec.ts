import { type Coin, NATIVE } from './coins.js';
import { SwapForm } from './swap-form.js';

const coin = (symbol: string, decimals: number, address = `0x${symbol.toLowerCase().padEnd(40, '0')}`): Coin => ({
  ...{ chain: 'eth', address, symbol, name: symbol, decimals },
});
const [ETH, USDC, DAI] = [coin('ETH', 18, NATIVE), coin('USDC', 6), coin('DAI', 18)];

const filled = (): SwapForm => {
  const form = new SwapForm('eth');
  form.choose('input', ETH);
  form.choose('output', USDC);
  form.amountText.value = '1.5';
  return form;
};

it('asks for nothing until everything is said', () => {
  const form = new SwapForm('eth');
  expect(form.request.value).toBeNull();
  form.choose('input', ETH);
  form.choose('output', USDC);
  expect([form.request.value, form.amount.value]).toEqual([null, null]);
  form.amountText.value = '1.5';
  expect(form.request.value).toEqual({
    ...{ chain: 'eth', inputMint: NATIVE, outputMint: USDC.address },
    ...{ amount: '1500000000000000000', slippageBps: 50 },
  });
  form.slippageText.value = '200';
  expect(form.request.value).toBeNull();
});

it('reads the amount in the token that is spent', () => {
  const form = filled();
  form.turnRound();
  expect(form.request.value).toMatchObject({ inputMint: USDC.address, outputMint: NATIVE, amount: '1500000' });
  form.amountText.value = '0.0000001';
  expect(form.request.value).toBeNull();
  form.spend(12_345_678n);
  expect([form.amountText.value, form.request.value?.amount]).toEqual(['12.345678', '12345678']);
});

it('turns round instead of swapping a token for itself', () => {
  const form = filled();
  form.choose('output', ETH);
  expect([form.input.value, form.output.value]).toEqual([USDC, ETH]);
  form.choose('input', DAI);
  expect([form.input.value, form.output.value]).toEqual([DAI, ETH]);
});

it.each([
  ['', 'wallet address'],
  ['0x12', '40'],
  [`0x${'0'.repeat(40)}`, 'cannot sign'],
  [NATIVE, 'cannot sign'],
])('wallet %p is refused', (text, word) => {
  const form = filled();
  form.wallet.value = text;
  expect(form.walletTrouble.value).toContain(word);
  form.wallet.value = ` 0x${'aB'.repeat(20)} `;
  expect(form.walletTrouble.value).toBeNull();
});

it('knows a wrap', () => {
  const form = filled();
  expect(form.isWrap(DAI.address)).toBe(false);
  form.choose('output', DAI);
  expect(form.isWrap(DAI.address.toUpperCase().replace('0X', '0x'))).toBe(true);
});
