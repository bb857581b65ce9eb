import {
  decodeAbiParameters,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex as Prefixed,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
} from 'viem';
import type { Hex } from '#libs/core/ids.js';
import type { ContractCall } from '../../../evm/model/contract-call.js';
import type { CreateOrder } from '../../ports.js';

const ABI = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'function getPoolKey() view returns (PoolKey)',
  'function deploy(address payoutRecipient, address[] owners, string uri, string name, string symbol, bytes poolConfig, address platformReferrer, address postDeployHook, bytes postDeployHookData, bytes32 coinSalt) payable returns (address coin, bytes postDeployHookDataOut)',
]);

/** What the factory and the contract of the first buy refuse with. */
export const ZORA_ERRORS = parseAbi([
  'error InsufficientOutputAmount()',
  'error InsufficientInputCurrency(uint256 inputAmount, uint256 availableAmount)',
  'error InvalidConfig()',
  'error InvalidHook()',
  'error InvalidPoolVersion()',
  'error EthTransferInvalid()',
  'error CurrencyNotSettled()',
]);

/** Zora's contract that buys the first of a coin, by the slug of the chain; the factory is the chain's own (libs/chain/chains). */
const FIRST_BUY: Readonly<Record<string, Prefixed>> = { base: '0xd8cc7bca1de52ea788829b16e375e9b96c18d433' };

/**
 * A pool with the chain's coin as Zora's SDK has it: one curve of eleven positions that opens at these ticks. Such a pool
 * has version four.
 */
const POOL = { version: 4, lowerTick: -250_000, upperTick: -195_000, positions: 11, share: 5n * 10n ** 16n } as const;
const POOL_CONFIG = encodeAbiParameters(parseAbiParameters('uint8, address, int24[], int24[], uint16[], uint256[]'), [
  ...([POOL.version, zeroAddress, [POOL.lowerTick], [POOL.upperTick]] as const),
  ...([[POOL.positions], [POOL.share]] as const),
]);

const BUY = parseAbiParameters([
  'Buy buy',
  'struct Buy { address buyRecipient; bytes v3Route; PoolKey[] v4Route; address inputCurrency; uint256 inputAmount; uint256 minAmountOut; }',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
]);
const BOUGHT = parseAbiParameters('uint256 currency, uint256 coins');
const POOL_KEY_DATA = encodeFunctionData({ abi: ABI, functionName: 'getPoolKey' });
const MADE = parseAbiParameters('address coin, bytes bought');

type Deployed = Pick<CreateOrder, 'chain' | 'creator' | 'name' | 'symbol' | 'uri' | 'initialBuy'>;

/** Data of the factory's call: the creator owns the coin and is paid its share of all fees; there is no referrer. */
export function deployCoin(order: Deployed, salt: Prefixed, leastCoins: bigint): Prefixed {
  const { chain, name, symbol, uri, initialBuy } = order;
  const creator: Prefixed = `0x${order.creator}`;
  const [contract, data] =
    initialBuy === 0n
      ? ([zeroAddress, '0x'] as const)
      : ([FIRST_BUY[chain.slug]!, buyData(creator, initialBuy, leastCoins)] as const);
  const coin = [creator, [creator], uri, name, symbol, POOL_CONFIG, zeroAddress] as const;
  return encodeFunctionData({ abi: ABI, functionName: 'deploy', args: [...coin, contract, data, salt] });
}

/** The coin goes right into the new pool: no route leads there. */
const buyData = (buyRecipient: Prefixed, inputAmount: bigint, minAmountOut: bigint): Prefixed =>
  encodeAbiParameters(BUY, [
    { buyRecipient, v3Route: '0x', v4Route: [], inputCurrency: zeroAddress, inputAmount, minAmountOut },
  ]);

/** The coin that the call made, and how many of it were bought; null: not what the factory answers. */
export function readDeployed(answer: Hex): { token: Hex; bought: bigint } | null {
  try {
    const [coin, data] = decodeAbiParameters(MADE, `0x${answer}`);
    const bought = data === '0x' ? 0n : decodeAbiParameters(BOUGHT, data)[1];
    return { token: coin.slice(2).toLowerCase(), bought };
  } catch {
    return null;
  }
}

/** Asks a coin for its pool: answered by the five words of a pool key, whose hash is the pool's id. */
export const poolKeyCall = (coin: Hex): ContractCall => ({ to: coin, data: POOL_KEY_DATA.slice(2), value: 0n });
export const POOL_KEY_DIGITS = 5 * 64;
