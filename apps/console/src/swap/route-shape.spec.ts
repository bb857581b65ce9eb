import type { EvmQuote, EvmRouteStep } from '#libs/serve/contract/rest/evm/quote-body.js';
import { routeOf } from './route-shape.js';

const hop = (inputMint: string, inAmount: string, outputMint: string, outAmount: string) =>
  ({ swapInfo: { inputMint, inAmount, outputMint, outAmount } }) as EvmRouteStep;
const quote = (routePlan: EvmRouteStep[]) =>
  ({ inputMint: '0xe', inAmount: '5', outputMint: '0xc', outAmount: '9', routePlan }) as EvmQuote;

it('has a node for each token and a pool between two of them', () => {
  const plan = [hop('0xweth', '5', '0xb', '7'), hop('0xb', '7', '0xc', '9')];
  expect(routeOf(quote(plan))).toEqual({
    nodes: [
      { mint: '0xe', amount: 5n },
      { mint: '0xb', amount: 7n },
      { mint: '0xc', amount: 9n },
    ],
    hops: plan,
  });
});

it('has no pool where a coin is wrapped', () =>
  expect(routeOf(quote([]))).toMatchObject({ nodes: [{ mint: '0xe' }, { mint: '0xc' }], hops: [null] }));
