import { readFileSync } from 'node:fs';
import { encodeFunctionData, type Hex, parseAbi, zeroAddress, zeroHash } from 'viem';
import { type Artifact, type ContractDeployment, initCodeOf } from '../genuine-contracts.js';
import type { Outgoing } from '../transaction-sender.js';

/** Clanker v4 and what it needs of Uniswap, taken from their sources by contracts/extract-clanker.mjs. */
const generated = JSON.parse(readFileSync(new URL('../generated/clanker.json', import.meta.url), 'utf8')) as {
  library: string;
  contracts: Record<
    | 'Clanker'
    | 'ClankerDeployer'
    | 'ClankerFeeLocker'
    | 'ClankerHookStaticFeeV2'
    | 'ClankerLpLockerFeeConversion'
    | 'ClankerPoolExtensionAllowlist'
    | 'ClankerSniperAuctionV2'
    | 'ClankerUniv4EthDevBuy'
    | 'Permit2'
    | 'PositionManager'
    | 'UniversalRouter',
    Artifact
  >;
};

/** Where they are on Base. */
export interface ClankerSites {
  factory: Hex;
  hook: Hex;
  locker: Hex;
  mevModule: Hex;
  devBuy: Hex;
  poolManager: Hex;
  positionManager: Hex;
  wrapped: Hex;
}

const FEE_LOCKER = '0xf3622742b1e446d92e45e22923ef11c2fcd55d68';
const PERMIT2 = '0x000000000022d473030f116ddee9f6b43ac78ba3';
const UNIVERSAL_ROUTER = '0x6ff5693b99212da76ad316178a184ab56d299b43';
/** No chain that we know states it: the hook alone knows it, and asks it where a pool has an extension. */
const ALLOWLIST = '0x00000000000000000000000000000000b0a75e06';
const UNSUBSCRIBE_GAS = 300_000n;

const OWNER_ABI = parseAbi([
  'function setDeprecated(bool deprecated)',
  'function setHook(address hook, bool enabled)',
  'function setLocker(address locker, address hook, bool enabled)',
  'function setMevModule(address mevModule, bool enabled)',
  'function setExtension(address extension, bool enabled)',
  'function addDepositor(address depositor)',
]);

/** Which contract is at which address, in an order in which constructors find the contracts they call. */
export function clankerDeployments(sites: ClankerSites, owner: string): ContractDeployment[] {
  const { factory, hook, locker, mevModule, devBuy, poolManager, positionManager, wrapped } = sites;
  const at = (name: keyof typeof generated.contracts, address: string, ...args: unknown[]): ContractDeployment => ({
    ...{ name, address, initCode: initCodeOf(generated.contracts[name], ...args) },
  });
  const router = {
    ...{ permit2: PERMIT2, weth9: wrapped, v2Factory: zeroAddress, v3Factory: zeroAddress },
    ...{ pairInitCodeHash: zeroHash, poolInitCodeHash: zeroHash, v4PoolManager: poolManager },
    ...{ v3NFTPositionManager: zeroAddress, v4PositionManager: positionManager },
  };
  return [
    at('Permit2', PERMIT2),
    at('PositionManager', positionManager, poolManager, PERMIT2, UNSUBSCRIBE_GAS, zeroAddress, wrapped),
    at('UniversalRouter', UNIVERSAL_ROUTER, router),
    at('ClankerDeployer', generated.library),
    at('Clanker', factory, owner),
    at('ClankerFeeLocker', FEE_LOCKER, owner),
    at('ClankerPoolExtensionAllowlist', ALLOWLIST, owner),
    at('ClankerHookStaticFeeV2', hook, poolManager, factory, ALLOWLIST, wrapped),
    at('ClankerSniperAuctionV2', mevModule, owner, factory, FEE_LOCKER, wrapped),
    at('ClankerUniv4EthDevBuy', devBuy, factory, wrapped, UNIVERSAL_ROUTER, PERMIT2),
    at(
      'ClankerLpLockerFeeConversion',
      locker,
      ...[owner, factory, FEE_LOCKER, positionManager, PERMIT2, UNIVERSAL_ROUTER, poolManager],
    ),
  ];
}

/** What its owner says before anybody can create: which parts a token may have. */
export function clankerOpening({ factory, hook, locker, mevModule, devBuy }: ClankerSites, from: string): Outgoing[] {
  const say = (to: string, functionName: string, ...args: unknown[]): Outgoing => ({
    ...{ from, to, data: encodeFunctionData({ abi: OWNER_ABI, functionName, args } as never) },
  });
  return [
    say(factory, 'setHook', hook, true),
    say(factory, 'setLocker', locker, hook, true),
    say(factory, 'setMevModule', mevModule, true),
    say(factory, 'setExtension', devBuy, true),
    say(FEE_LOCKER, 'addDepositor', locker),
    say(FEE_LOCKER, 'addDepositor', mevModule),
    say(factory, 'setDeprecated', false),
  ];
}
