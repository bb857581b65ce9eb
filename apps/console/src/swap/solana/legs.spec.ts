import type { SolRouteStep } from '#libs/serve/contract/rest/solana/quote-body.js';
import { feeInHundredths, legsOf } from './legs.js';

const step = (inputMint: string, outputMint: string, bps: number) =>
  ({ swapInfo: { ammKey: `${inputMint}${outputMint}`, inputMint, outputMint }, bps }) as SolRouteStep;

it('begins a leg at each step that takes the input of the route', () => {
  const plan = [
    step('a', 'b', 6000),
    step('b', 'z', 6000),
    step('a', 'z', 3000),
    step('a', 'c', 1000),
    step('c', 'z', 1000),
  ];
  expect(legsOf(plan).map((leg) => leg.map(({ swapInfo }) => swapInfo.ammKey))).toEqual([
    ['ab', 'bz'],
    ['az'],
    ['ac', 'cz'],
  ]);
  expect(legsOf([])).toEqual([]);
});

it('says the fee as a part of what it was taken from', () => {
  const swapInfo = { inputMint: 'a', outputMint: 'b', inAmount: '400000', outAmount: '99750' };
  const of = (more: object) => feeInHundredths({ swapInfo: { ...swapInfo, ...more } } as SolRouteStep);
  expect(of({ feeMint: 'a', feeAmount: '1000' })).toBe(2_500n);
  expect(of({ feeMint: 'b', feeAmount: '250' })).toBe(2_500n);
  expect(of({ feeMint: 'a', feeAmount: '1', inAmount: '0' })).toBe(0n);
});
