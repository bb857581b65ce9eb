import { parseAbi } from 'viem';
import { TIDEPOOL_LAUNCHPAD_EVM } from '#libs/chain/chains/evm/tidepool-contracts.js';
import { type ContractDeployment, compiled, initCodeOf } from '../genuine-contracts.js';
import type { ExchangeSites } from '../market-plan.js';

/** Tidepool's own launchpad on a local chain, whose tokens graduate into pairs of the chain's V2 exchange. */
export const LOCAL_LAUNCHPAD_ADDRESS = `0x${TIDEPOOL_LAUNCHPAD_EVM}` as const;

/** What a curve's price starts from, in wei of the coin: it raises not quite three times as much. */
export const VIRTUAL_COIN = 15n * 10n ** 17n;

export const LAUNCHPAD_ABI = parseAbi([
  'function launch(string name, string symbol) payable returns (address token, address curve)',
  'function launchAt(string name, string symbol, string uri, bytes32 salt, uint256 leastTokens) payable returns (address token, address curve)',
  'function count() view returns (uint256)',
  'function curves(uint256 index) view returns (address)',
]);

export const CURVE_ABI = parseAbi([
  'function token() view returns (address)',
  'function pair() view returns (address)',
  'function virtualCoin() view returns (uint256)',
  'function virtualTokens() view returns (uint256)',
  'function remaining() view returns (uint256)',
  'function raised() view returns (uint256)',
  'function fees() view returns (uint256)',
  'function graduated() view returns (bool)',
  'function quoteBuy(uint256 amount) view returns (uint256 taken, uint256 tokens, uint256 fee)',
  'function quoteSell(uint256 tokens) view returns (uint256 paid, uint256 fee)',
  'function buy(address recipient, uint256 leastTokens) payable',
  'function sell(uint256 tokens, address recipient, uint256 leastCoin)',
  'function collect()',
]);

export function launchpadDeployment({ v2Factory, wrapped }: ExchangeSites, feeRecipient: string): ContractDeployment {
  const initCode = initCodeOf(compiled('TidepoolLaunchpad'), v2Factory, wrapped, VIRTUAL_COIN, feeRecipient);
  return { name: 'TidepoolLaunchpad', address: LOCAL_LAUNCHPAD_ADDRESS, initCode };
}
