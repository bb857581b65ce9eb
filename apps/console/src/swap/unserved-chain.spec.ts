import type { ChainBody } from '#libs/serve/contract/rest/chain-body.js';
import { unservedChain } from './unserved-chain.js';

const row = (chain: string, networkId: number, family: 'evm' | 'solana', served = true): ChainBody =>
  ({ chain, aliases: [`${chain}-alias`], networkId, family, head: served ? {} : null }) as unknown as ChainBody;
const [sol, eth] = [row('sol', 101, 'solana'), row('eth', 1, 'evm')];
const pair = (chain: string) => ({ chain, input: 'native', output: 'x' });

describe('chains without swaps', () => {
  it.each(['sol', 'SOL', 'sol-alias', '101'])('recognises the pair of one that is called %s', (name) => {
    expect(unservedChain([sol, eth], pair(name))).toBe(sol);
  });

  it('leaves the others, and unknown names, to the router', () => {
    for (const name of ['eth', '1', 'nowhere']) expect(unservedChain([sol, eth], pair(name))).toBeNull();
  });

  it('is what there is without a pair only where nothing else is served', () => {
    expect(unservedChain([sol, eth], null)).toBeNull();
    expect(unservedChain([sol, row('eth', 1, 'evm', false)], null)).toBe(sol);
    expect(unservedChain([], null)).toBeNull();
    expect(unservedChain([row('sol', 101, 'solana', false)], null)).toBeNull();
  });
});
