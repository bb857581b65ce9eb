// @ts-nocheck: a project of its own, whose packages are installed apart from ours.
// Ponder over plain JSON-RPC: swaps, syncs and transfers of the manifest's contracts.
// Environment: RPC_URL, DATABASE_URL, MANIFEST.
import { readFileSync } from 'node:fs';
import { createConfig } from 'ponder';
import { http, parseAbi } from 'viem';

const manifest = JSON.parse(readFileSync(process.env.MANIFEST!, 'utf8'));
const pairAbi = parseAbi([
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
  'event Sync(uint112 reserve0, uint112 reserve1)',
]);
const uniswapV3Abi = parseAbi([
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
]);
const pancakeV3Abi = parseAbi([
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint128 protocolFeesToken0, uint128 protocolFeesToken1)',
]);
const erc20Abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);
// No end block: with one at the head, Ponder 1.0 stops before it has indexed the last block.
const range = { network: 'replay', startBlock: 0 } as const;

export default createConfig({
  database: { kind: 'postgres', connectionString: process.env.DATABASE_URL! },
  networks: {
    replay: { chainId: 1, transport: http(process.env.RPC_URL!), pollingInterval: 1000, maxRequestsPerSecond: 10_000 },
  },
  contracts: {
    Pair: { ...range, abi: pairAbi, address: manifest.pairs },
    UniswapV3Pool: { ...range, abi: uniswapV3Abi, address: manifest.concentratedPools },
    PancakeV3Pool: { ...range, abi: pancakeV3Abi, address: manifest.concentratedPools },
    Token: { ...range, abi: erc20Abi, address: manifest.tokens },
  },
});
