import { readFileSync } from 'node:fs';
import { type Artifact, type ContractDeployment, compiled, initCodeOf } from '../genuine-contracts.js';
import { type PlannedV4 } from '../market-plan.js';
import { DEALER, FEE_HOOK } from './chain-pool.js';

/** Uniswap's own pool manager, taken from its package by contracts/extract-uniswap-v4.mjs. */
const generated = JSON.parse(readFileSync(new URL('../generated/uniswap-v4.json', import.meta.url), 'utf8')) as {
  contracts: Record<'PoolManager', Artifact>;
};

/** The manager is the genuine one; dealer and hook are the local chain's own. */
export function uniswapV4Deployments({ poolManager }: PlannedV4, owner: string): ContractDeployment[] {
  const { PoolManager } = generated.contracts;
  return [
    { name: 'PoolManager', address: poolManager, initCode: initCodeOf(PoolManager, owner) },
    { name: 'UniswapV4Dealer', address: DEALER, initCode: initCodeOf(compiled('UniswapV4Dealer'), poolManager) },
    { name: 'UniswapV4FeeHook', address: FEE_HOOK, initCode: initCodeOf(compiled('UniswapV4FeeHook'), poolManager) },
  ];
}
