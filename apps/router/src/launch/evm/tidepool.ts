import { randomBytes } from 'node:crypto';
import { encodeFunctionData, parseAbi } from 'viem';
import type { ChainSpec } from '#libs/chain/market-ports/chain-spec.js';
import type { Hex } from '#libs/core/ids.js';
import type { ContractCall } from '../../evm/model/contract-call.js';
import type { CreateOrder, EvmLaunchBuilder } from '../ports.js';
import { measuredCreate } from './measured-create.js';

const PLATFORM = 'tidepool';

const ABI = parseAbi([
  'function launchAt(string name, string symbol, string uri, bytes32 salt, uint256 leastTokens) payable returns (address token, address curve)',
]);

/** Tidepool's own launchpad: one call makes the token, its curve and its pair, and buys. */
export const evmTidepool: EvmLaunchBuilder = {
  platform: PLATFORM,
  build(endpoint, order, signal) {
    const salt = randomBytes(32).toString('hex');
    const create = {
      ...{ platform: PLATFORM, label: 'Tidepool Launchpad', keepsFloor: true, made: madeBy },
      call: (leastTokens: bigint) => launchCall(order, salt, leastTokens),
    };
    return measuredCreate(endpoint, order, create, signal);
  },
};

function launchCall(
  { chain, name, symbol, uri, initialBuy }: CreateOrder,
  salt: Hex,
  leastTokens: bigint,
): ContractCall {
  const args = [name, symbol, uri, `0x${salt}`, leastTokens] as const;
  const data = encodeFunctionData({ abi: ABI, functionName: 'launchAt', args });
  return { to: launchpadOf(chain), data: data.slice(2), value: initialBuy };
}

const launchpadOf = ({ venues, slug }: ChainSpec): Hex => {
  const venue = venues.find((each) => each.venue === PLATFORM);
  if (venue === undefined) throw new Error(`${slug} has no launchpad of that name`);
  return venue.factory;
};

const madeBy = (answer: Hex) =>
  answer.length === 128 ? { token: answer.slice(24, 64), curve: answer.slice(88) } : null;
