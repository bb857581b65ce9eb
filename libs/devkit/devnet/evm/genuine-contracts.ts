import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Abi, encodeDeployData, type Hex } from 'viem';
import { OFFICIAL } from '#libs/devkit/chain-builder/official-addresses.js';
import type { ExchangeSites } from './market-plan.js';

/** The genuine Uniswap contracts as their packages ship them, and the local chain's own compiled tokens. */
export interface Artifact {
  abi: Abi;
  bytecode: Hex;
}

const PATHS = {
  v2Factory: '@uniswap/v2-core/build/UniswapV2Factory.json',
  v2Router: '@uniswap/v2-periphery/build/UniswapV2Router02.json',
  weth: '@uniswap/v2-periphery/build/WETH9.json',
  v3Factory: '@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json',
  positionManager:
    '@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json',
  swapRouter02: '@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json',
  quoterV2: '@uniswap/swap-router-contracts/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json',
} as const;

export type GenuineName = keyof typeof PATHS;

interface RawArtifact {
  abi: Abi;
  bytecode?: string | { object: string };
  evm?: { bytecode: { object: string } };
}

export function genuine(name: GenuineName): Artifact {
  const raw = createRequire(import.meta.url)(PATHS[name]) as RawArtifact;
  const code = raw.bytecode ?? raw.evm?.bytecode ?? '';
  const hex = typeof code === 'string' ? code : code.object;
  return { abi: raw.abi, bytecode: hex.startsWith('0x') ? (hex as Hex) : `0x${hex}` };
}

export type CompiledName =
  | 'StandardToken'
  | 'TaxedToken'
  | 'Bytes32Token'
  | 'NoReturnToken'
  | 'GatedToken'
  | 'Multicall3'
  | 'TidepoolLaunchpad'
  | 'UniswapV4Dealer'
  | 'UniswapV4FeeHook';

/** Written by contracts/compile.mjs. */
const generated = JSON.parse(readFileSync(new URL('./generated/contracts.json', import.meta.url), 'utf8')) as {
  contracts: Record<CompiledName, Artifact>;
};

export function compiled(name: CompiledName): Artifact {
  return generated.contracts[name];
}

export interface ContractDeployment {
  name: string;
  address: string;
  initCode: Hex;
}

export function initCodeOf({ abi, bytecode }: Artifact, ...args: unknown[]): Hex {
  return encodeDeployData({ abi, bytecode, args });
}

/** What is on every chain at the same address. */
export const MULTICALL: ContractDeployment = {
  name: 'Multicall3',
  address: OFFICIAL.multicall3,
  initCode: compiled('Multicall3').bytecode,
};

/** Which contract is at which address, in an order in which constructors find the contracts they call. */
export function uniswapDeployments(sites: ExchangeSites, owner: string): ContractDeployment[] {
  const init = (name: GenuineName, ...args: unknown[]): Hex => initCodeOf(genuine(name), ...args);
  const { v2Factory, v3Factory, wrapped, positionManager } = sites;
  return [
    MULTICALL,
    { name: 'WETH9', address: wrapped, initCode: init('weth') },
    { name: 'UniswapV2Factory', address: v2Factory, initCode: init('v2Factory', owner) },
    { name: 'UniswapV2Router02', address: sites.v2Router, initCode: init('v2Router', v2Factory, wrapped) },
    { name: 'UniswapV3Factory', address: v3Factory, initCode: init('v3Factory') },
    {
      name: 'NonfungiblePositionManager',
      address: positionManager,
      // The third argument is the descriptor of the position NFTs' pictures; there is none here.
      initCode: init('positionManager', v3Factory, wrapped, wrapped),
    },
    {
      name: 'SwapRouter02',
      address: sites.v3Router,
      initCode: init('swapRouter02', v2Factory, v3Factory, positionManager, wrapped),
    },
    { name: 'QuoterV2', address: sites.quoterV2, initCode: init('quoterV2', v3Factory, wrapped) },
  ];
}
