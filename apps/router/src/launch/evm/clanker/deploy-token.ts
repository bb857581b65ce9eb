import { encodeAbiParameters, encodeFunctionData, keccak256, type Hex as Prefixed, parseAbi } from 'viem';
import type { Hex } from '#libs/core/ids.js';
import type { CreateOrder } from '../../ports.js';
import { CLANKER_CONTRACTS, DYNAMIC_FEE, devBuyData, LOCKER_DATA, MEV_DATA, POOL, POOL_DATA } from './terms.js';

const ABI = parseAbi([
  'struct TokenConfig { address tokenAdmin; string name; string symbol; bytes32 salt; string image; string metadata; string context; uint256 originatingChainId; }',
  'struct PoolConfig { address hook; address pairedToken; int24 tickIfToken0IsClanker; int24 tickSpacing; bytes poolData; }',
  'struct LockerConfig { address locker; address[] rewardAdmins; address[] rewardRecipients; uint16[] rewardBps; int24[] tickLower; int24[] tickUpper; uint16[] positionBps; bytes lockerData; }',
  'struct MevModuleConfig { address mevModule; bytes mevModuleData; }',
  'struct ExtensionConfig { address extension; uint256 msgValue; uint16 extensionBps; bytes extensionData; }',
  'struct DeploymentConfig { TokenConfig tokenConfig; PoolConfig poolConfig; LockerConfig lockerConfig; MevModuleConfig mevModuleConfig; ExtensionConfig[] extensionConfigs; }',
  'function deployToken(DeploymentConfig deploymentConfig) payable returns (address tokenAddress)',
]);

/** What the factory and those it calls refuse with. */
export const CLANKER_ERRORS = parseAbi([
  'error Deprecated()',
  'error OnlyOriginatingChain()',
  'error HookNotEnabled()',
  'error LockerNotEnabled()',
  'error ExtensionNotEnabled()',
  'error MevModuleNotEnabled()',
  'error ExtensionMsgValueMismatch()',
  'error V4TooLittleReceived(uint256 minAmountOutReceived, uint256 amountReceived)',
]);

const ALL = 10_000;
const POOL_KEY = ['address', 'address', 'uint24', 'int24', 'address'].map((type) => ({ type }));

type Deployed = Pick<
  CreateOrder,
  'chain' | 'creator' | 'name' | 'symbol' | 'description' | 'image' | 'links' | 'initialBuy'
>;

/** Data of the factory's call; the creator administers the token and gets the creator's share of all fees. */
export function deployToken(order: Deployed, salt: Prefixed): Prefixed {
  const { chain, name, symbol, image, initialBuy } = order;
  const { hook, locker, mevModule, devBuy } = CLANKER_CONTRACTS[chain.slug]!;
  const creator: Prefixed = `0x${order.creator}`;
  const config = {
    tokenConfig: {
      ...{ tokenAdmin: creator, name, symbol, salt, image, metadata: metadataText(order) },
      ...{ context: JSON.stringify({ interface: 'Tidepool' }), originatingChainId: BigInt(chain.chainId!) },
    },
    poolConfig: {
      ...{ hook, pairedToken: `0x${chain.wrappedNative!.token}` as const, poolData: POOL_DATA },
      ...{ tickIfToken0IsClanker: POOL.startingTick, tickSpacing: POOL.tickSpacing },
    },
    lockerConfig: {
      ...{ locker, lockerData: LOCKER_DATA },
      ...{ rewardAdmins: [creator], rewardRecipients: [creator], rewardBps: [ALL] },
      ...{ tickLower: [POOL.startingTick], tickUpper: [POOL.lastTick], positionBps: [ALL] },
    },
    mevModuleConfig: { mevModule, mevModuleData: MEV_DATA },
    extensionConfigs:
      initialBuy === 0n
        ? []
        : [{ extension: devBuy, msgValue: initialBuy, extensionBps: 0, extensionData: devBuyData(creator) }],
  };
  return encodeFunctionData({ abi: ABI, functionName: 'deployToken', args: [config] });
}

/** Clanker keeps the picture apart from the rest; nothing to say is an empty text. */
function metadataText({ description, links }: Pick<CreateOrder, 'description' | 'links'>): string {
  const socialMediaUrls = Object.entries(links).map(([platform, url]) => ({ platform, url }));
  const fields = {
    ...(description === '' ? {} : { description }),
    ...(socialMediaUrls.length === 0 ? {} : { socialMediaUrls }),
  };
  return Object.keys(fields).length === 0 ? '' : JSON.stringify(fields);
}

/** Id of the pool that the hook makes of a token and the wrapped coin. */
export function clankerPoolOf({ slug, wrappedNative }: CreateOrder['chain'], token: Hex): Hex {
  const sides = [token, wrappedNative!.token].sort().map((side) => `0x${side}`);
  const key = [...sides, DYNAMIC_FEE, POOL.tickSpacing, CLANKER_CONTRACTS[slug]!.hook];
  return keccak256(encodeAbiParameters(POOL_KEY, key)).slice(2);
}
