import { LaunchForm } from './launch-form.js';

const filled = (): LaunchForm => {
  const form = new LaunchForm('eth', 18);
  const texts = { platform: 'tidepool', creator: ' 0xa1 ', name: 'Spring Tide', symbol: 'TIDE' };
  for (const [field, text] of Object.entries({ ...texts, image: 'https://x.y/z', rpcUrl: 'https://n.y/' })) {
    form.set(field as 'name', text);
  }
  return form;
};

it('says what is missing, and asks for nothing before', () => {
  const form = new LaunchForm('eth', 18);
  expect(form.request.value).toBeNull();
  expect(Object.keys(form.troubles.value).sort()).toEqual(['creator', 'image', 'name', 'platform', 'rpcUrl', 'symbol']);
  form.set('symbol', 'A B');
  expect(form.troubles.value.symbol).toBe('A symbol has no spaces.');
  form.set('symbol', 'ÄÖÜÄÖÜ');
  expect(form.troubles.value.symbol).toBe('At most 10 bytes.');
});

it('asks with what was entered, exactly', () => {
  const form = filled();
  const texts = { platform: 'tidepool', creator: '0xa1', name: 'Spring Tide', symbol: 'TIDE', image: 'https://x.y/z' };
  expect(form.request.value).toEqual({ ...texts, rpcUrl: 'https://n.y/', slippageBps: 100 });
  form.buyText.value = '0.100000000000000001';
  form.slippageText.value = '0.25';
  expect(form.request.value).toMatchObject({ initialBuy: '100000000000000001', slippageBps: 25 });
  form.buyText.value = '0.0';
  expect(form.request.value).not.toHaveProperty('initialBuy');
  form.buyText.value = '1.2.3';
  expect([form.request.value, form.troubles.value.buy]).toEqual([null, expect.stringContaining('digits')]);
});
