import { randomBytes } from 'node:crypto';
import { encodeFunctionData, parseAbi } from 'viem';
import type { RpcEndpoint } from '#libs/chains/evm/rpc/endpoint.js';
import type { Hex } from '#libs/core/ids.js';
import type { ChainSpec } from '#libs/market-ports/chain-spec.js';
import { revertText } from '../../evm/build/revert-text.js';
import type { StepResult } from '../../evm/build/simulation.js';
import { balanceCall, type Call, readUint } from '../../evm/build/token-calls.js';
import { notWired, simulationFailed } from '../launch-problem.js';
import type { BuiltLaunch, CreateOrder, EvmLaunchBuilder } from '../ports.js';
import { atHead, type HeadBuild, priced, requireValue } from './head-build.js';

const PLATFORM = 'tidepool';
/** How long the fees of an answer are good. */
const LIFETIME_MS = 120_000;
const BPS = 10_000n;

const ABI = parseAbi([
  'function launchAt(string name, string symbol, string uri, bytes32 salt, uint256 leastTokens) payable returns (address token, address curve)',
]);

/** Tidepool's own launchpad: one call makes the token, its curve and its pair, and buys. */
export const evmTidepool: EvmLaunchBuilder = { platform: PLATFORM, build };

function build(endpoint: RpcEndpoint, order: CreateOrder, signal: AbortSignal): Promise<BuiltLaunch> {
  const salt = randomBytes(32).toString('hex');
  return atHead(endpoint, order.creator, signal, (head) => buildOn(head, order, salt));
}

async function buildOn(head: HeadBuild, order: CreateOrder, salt: Hex): Promise<BuiltLaunch> {
  const { chain, creator, initialBuy, slippageBps, symbol } = order;
  const { formatAddress } = chain.ids;
  requireValue(head.wallet, initialBuy);
  const [tried] = await head.run([launchCall(order, salt, 0n)]);
  const { token, curve } = madeBy(chain, tried!);
  let [result, bought, floor] = [tried!, 0n, 0n];
  let call = launchCall(order, salt, 0n);
  if (initialBuy > 0n) {
    bought = await boughtBy(head, call, token, creator);
    floor = (bought * (BPS - BigInt(slippageBps))) / BPS;
    call = launchCall(order, salt, floor);
    [result] = (await head.run([call])) as [StepResult];
    madeBy(chain, result);
  }
  const description = `Create ${symbol} on Tidepool Launchpad`;
  const { transaction, gasCost } = priced(chain.chainId!, creator, call, result, head.wallet, description);
  const { number } = head.wallet.head;
  return {
    ...{ address: formatAddress(token), curve: formatAddress(curve), transactions: [transaction] },
    signers: [{ address: formatAddress(creator), secretKey: null }],
    expiresAt: new Date(Date.now() + LIFETIME_MS).toISOString(),
    buy:
      initialBuy === 0n
        ? null
        : { inAmount: String(initialBuy), outAmount: String(bought), minOutAmount: String(floor) },
    cost: {
      ...{ networkFee: String(gasCost), rent: '0', initialBuy: String(initialBuy) },
      total: String(gasCost + initialBuy),
    },
    simulation: { block: String(number), used: String(result.gasUsed) },
  };
}

/** What the creator holds of the token once the call is done. */
async function boughtBy(head: HeadBuild, call: Call, token: Hex, creator: Hex): Promise<bigint> {
  const [made, held] = await head.run([call, balanceCall(token, creator)]);
  const bought = made!.ok && held!.ok ? readUint(held!.data) : null;
  if (bought === null) throw simulationFailed(revertText(made!.ok ? held!.data : made!.data));
  return bought;
}

function launchCall({ chain, name, symbol, uri, initialBuy }: CreateOrder, salt: Hex, leastTokens: bigint): Call {
  const args = [name, symbol, uri, `0x${salt}`, leastTokens] as const;
  const data = encodeFunctionData({ abi: ABI, functionName: 'launchAt', args });
  return { to: launchpadOf(chain), data: data.slice(2), value: initialBuy };
}

const launchpadOf = ({ venues, slug }: ChainSpec): Hex => {
  const venue = venues.find((each) => each.venue === PLATFORM);
  if (venue === undefined) throw new Error(`${slug} has no launchpad of that name`);
  return venue.factory;
};

/** A contract that is not there answers nothing, and takes every call. */
function madeBy(chain: ChainSpec, { ok, data }: StepResult): { token: Hex; curve: Hex } {
  if (!ok) throw simulationFailed(revertText(data));
  const [token, curve] = data.length === 128 ? [data.slice(24, 64), data.slice(88)] : [];
  if (token === undefined || curve === undefined) {
    throw notWired(`no ${PLATFORM} launchpad stands at 0x${launchpadOf(chain)} on the chain of this node`);
  }
  return { token, curve };
}
