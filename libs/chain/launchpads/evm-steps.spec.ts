import { type Abi, type AbiEvent, encodeAbiParameters, encodeEventTopics, type Hex, parseAbi } from 'viem';
import { HexText } from '#libs/chain/chains/evm/hex-text.js';
import { chainManifests } from '#libs/chain/chains/registry.js';
import { evmLaunchpads } from './evm-registry.js';

/** What launchpads announce, encoded by viem from their published ABIs. */
const address = (digits: string): Hex => `0x${digits.repeat(20)}`;
const [TOKEN, CREATOR, OTHER] = [address('11'), address('22'), address('33')];
const POOL: Hex = `0x${'ab'.repeat(32)}`;
const POOL_KEY =
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }';
const COIN =
  '(address indexed caller, address indexed payoutRecipient, address indexed platformReferrer, address currency, string uri, string name, string symbol, address coin, PoolKey poolKey, bytes32 poolKeyHash, string version)';

const KEY = { currency0: OTHER, currency1: TOKEN, fee: 30_000, tickSpacing: 200, hooks: address('44') };
const COIN_ARGS = {
  ...{ caller: OTHER, payoutRecipient: CREATOR, platformReferrer: address('00'), currency: OTHER, uri: 'ipfs://x' },
  ...{ name: 'A coin', symbol: 'COIN', coin: TOKEN, poolKey: KEY, poolKeyHash: POOL, version: '2.3.0' },
};
const MANAGER = 'manager';

const cases: [string, string, Abi, Record<string, unknown>, object][] = [
  [
    'clanker',
    'factory',
    parseAbi([
      'event TokenCreated(address msgSender, address indexed tokenAddress, address indexed tokenAdmin, string tokenImage, string tokenName, string tokenSymbol, string tokenMetadata, string tokenContext, int24 startingTick, address poolHook, bytes32 poolId, address pairedToken, address locker, address mevModule, uint256 extensionsSupply, address[] extensions)',
    ]),
    {
      ...{ msgSender: OTHER, tokenAddress: TOKEN, tokenAdmin: CREATOR, tokenImage: 'https://x', tokenName: 'Name' },
      ...{ tokenSymbol: 'SYM', tokenMetadata: '{}', tokenContext: 'c'.repeat(70), startingTick: -230_400 },
      ...{ poolHook: address('44'), poolId: POOL, pairedToken: OTHER, locker: OTHER, mevModule: OTHER },
      ...{ extensionsSupply: 5n, extensions: [OTHER, TOKEN] },
    },
    { step: 'created', curve: POOL.slice(2), party: CREATOR.slice(2), progressPpm: 0 },
  ],
  ...(['CoinCreatedV4', 'CreatorCoinCreated'] as const).map((name): (typeof cases)[number] => [
    ...(['zora', 'factory'] as [string, string]),
    parseAbi([POOL_KEY, `event ${name}${COIN}`] as never) as Abi,
    COIN_ARGS,
    { step: 'created', curve: POOL.slice(2), party: CREATOR.slice(2), progressPpm: 0 },
  ]),
  [
    'four-meme',
    MANAGER,
    parseAbi([
      'event TokenCreate(address creator, address token, uint256 requestId, string name, string symbol, uint256 totalSupply, uint256 launchTime, uint256 launchFee)',
    ]),
    {
      ...{ creator: CREATOR, token: TOKEN, requestId: 7n, name: 'Name', symbol: 'SYM' },
      ...{ totalSupply: 10n ** 27n, launchTime: 1n, launchFee: 0n },
    },
    { step: 'created', party: CREATOR.slice(2), progressPpm: 0 },
  ],
  [
    'four-meme',
    MANAGER,
    parseAbi(['event LiquidityAdded(address base, uint256 offers, address quote, uint256 funds)']),
    { base: TOKEN, offers: 2n, quote: address('00'), funds: 3n },
    { step: 'graduated', party: null, progressPpm: 1_000_000 },
  ],
];

it.each(cases)('%s announces a step of a launch', (launchpad, role, abi, args, expected) => {
  const event = abi.find(({ type }) => type === 'event') as AbiEvent;
  const plain = event.inputs.filter(({ indexed }) => !indexed);
  const data = encodeAbiParameters(plain, plain.map(({ name }) => args[name!]) as never);
  const topics = encodeEventTopics({ abi: [event], eventName: event.name, args: args as never }) as string[];
  const found = chainManifests.all.flatMap(({ launchpads }) =>
    launchpads.filter((entry) => entry.launchpad === launchpad),
  );
  expect(found.length).toBeGreaterThan(0);
  const emitter = found[0]!.contracts[role]!;
  const decode = evmLaunchpads.get(launchpad)!.steps!.contracts[role]![topics[0]!]!;
  const log = { address: `0x${emitter}`, topics, data: HexText.read(data)! };
  expect(decode(log, 3, 9)).toEqual({
    ...{ kind: 'launch', tx: 3, ordinal: 9, launchpad, token: TOKEN.slice(2), curve: emitter, ...expected },
  });
  expect(decode({ ...log, topics: [...topics, POOL] }, 3, 9)).toBeNull();
  expect(decode({ ...log, data: HexText.read(data.slice(0, 2 + 64 * 3))! }, 3, 9)).toBeNull();
});
