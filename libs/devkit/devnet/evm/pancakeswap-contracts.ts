import { readFileSync } from 'node:fs';
import { encodeFunctionData, parseAbi, zeroAddress } from 'viem';
import { type Artifact, type ContractDeployment, initCodeOf, MULTICALL } from './genuine-contracts.js';
import type { ExchangeSites } from './market-plan.js';
import type { Outgoing } from './transaction-sender.js';

/** PancakeSwap's contracts, compiled from its sources by contracts/compile-pancakeswap.mjs. */
const generated = JSON.parse(readFileSync(new URL('./generated/pancakeswap.json', import.meta.url), 'utf8')) as {
  smartRouterHelper: string;
  contracts: Record<
    | 'WBNB'
    | 'PancakeFactory'
    | 'PancakeRouter'
    | 'PancakeV3PoolDeployer'
    | 'PancakeV3Factory'
    | 'NonfungiblePositionManager'
    | 'QuoterV2'
    | 'SmartRouterHelper'
    | 'SmartRouter',
    Artifact
  >;
};

/** Which contract is at which address. There are no stable swap pools: their factory is the zero address. */
export function pancakeswapDeployments(sites: ExchangeSites, owner: string): ContractDeployment[] {
  const init = (name: keyof typeof generated.contracts, ...args: unknown[]) =>
    initCodeOf(generated.contracts[name], ...args);
  const { wrapped, v2Factory, v3Factory, v3Deployer = zeroAddress, positionManager } = sites;
  const v3 = [v3Deployer, v3Factory, wrapped] as const;
  return [
    MULTICALL,
    { name: 'WBNB', address: wrapped, initCode: init('WBNB') },
    { name: 'PancakeFactory', address: v2Factory, initCode: init('PancakeFactory', owner) },
    { name: 'PancakeRouter', address: sites.v2Router, initCode: init('PancakeRouter', v2Factory, wrapped) },
    { name: 'PancakeV3PoolDeployer', address: v3Deployer, initCode: init('PancakeV3PoolDeployer') },
    { name: 'PancakeV3Factory', address: v3Factory, initCode: init('PancakeV3Factory', v3Deployer) },
    {
      name: 'NonfungiblePositionManager',
      address: positionManager,
      // The last argument is the descriptor of the position NFTs' pictures; there is none here.
      initCode: init('NonfungiblePositionManager', ...v3, wrapped),
    },
    { name: 'QuoterV2', address: sites.quoterV2, initCode: init('QuoterV2', ...v3) },
    { name: 'SmartRouterHelper', address: generated.smartRouterHelper, initCode: init('SmartRouterHelper') },
    {
      name: 'SmartRouter',
      address: sites.v3Router,
      initCode: init(
        'SmartRouter',
        ...[v2Factory, v3Deployer, v3Factory, positionManager, zeroAddress, zeroAddress, wrapped],
      ),
    },
  ];
}

/** The deployer creates pools for its factory alone; this transaction sets that factory, once. */
export function pancakeswapIntroduction(sites: ExchangeSites, from: string): Outgoing {
  const abi = parseAbi(['function setFactoryAddress(address factory)']);
  const data = encodeFunctionData({ abi, functionName: 'setFactoryAddress', args: [sites.v3Factory as `0x${string}`] });
  return { from, to: sites.v3Deployer as string, data };
}
