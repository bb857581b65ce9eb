import type { Hex } from '#libs/core/ids.js';

/**
 * Contracts on EVM chains that trade for those who did not send the transaction: settlements of signed orders, entry points of
 * smart accounts, relays. Data, each with where its address is documented.
 */
interface Settlement {
  readonly name: string;
  /** Traders call it themselves too: then who gets what the sender pays for with the coin may be its recipient only. */
  readonly alsoCalledByTraders?: true;
  readonly source: string;
  /** Of all chains: an address on one of them is not another contract's on the others. */
  readonly addresses: readonly Hex[];
}

const COW = 'github.com/cowprotocol/contracts networks.json';
const UNISWAP_X = 'github.com/Uniswap/UniswapX README.md, docs.uniswap.org/contracts/uniswapx/deployment';
const ZERO_EX = 'github.com/0xProject/0x-settler README.md';
const ZERO_EX_V4 = '0x.org/docs/developer-resources/contract-addresses';
const ENTRY_POINTS = 'viem account-abstraction/constants/address.ts';
const FUSION = 'github.com/1inch/limit-order-settlement deployments/<chain>';
const GELATO = 'docs.gelato.cloud/relay/additional-resources/supported-networks, group A';

const settlements: readonly Settlement[] = [
  { name: 'CoW GPv2Settlement', source: COW, addresses: ['9008d19f58aabd9ed0d60971565aa8510560ab41'] },
  { name: 'CoW GPv2VaultRelayer', source: COW, addresses: ['c92e8bdf79f0507f65a392b0ab4667716bfe0110'] },
  {
    name: 'UniswapX reactors',
    source: UNISWAP_X,
    addresses: [
      '6000da47483062a0d734ba3dc7576ce6a0b645c4',
      '00000011f84b9aa48e5f8aa8b9897600006289be',
      '0000000015757c461808ea25eb309638b62681cf',
      '000000001ec5656dcdb24d90dfa42742738de729',
      '000000008a8330b5d1f43a62bf4c673a49f27ba0',
      '00000000a55e50c71b70db3c8b58749cd1e18eb2',
    ],
  },
  {
    name: '0x Settler, of signed transactions and of intents',
    source: ZERO_EX,
    addresses: [
      '8e3f00919ad73b4c525be50e86718d86386af944',
      '42b17b6b6b93383d52f21dc61546974e014241bf',
      '1e1ed00f1048c99240bb56defc20de44a0a005cb',
      '8331f9acce69b02c281f40a00706f758665cce77',
      'f3d5719f7e3b49a4c3797d56bd3fed6d3b80f0f9',
      '25233ddd68dac9ac40e1e8d80c58d36b524032b2',
    ],
  },
  {
    name: '0x ExchangeProxy and its flash wallets',
    source: ZERO_EX_V4,
    alsoCalledByTraders: true,
    addresses: [
      'def1c0ded9bec7f1a1670819833240f027b25eff',
      '22f9dcf4647084d6c31b2765f6910cd85c178c18',
      'db6f1920a889355780af7570773609bd8cb1f498',
    ],
  },
  { name: '1inch Fusion settlement', source: FUSION, addresses: ['abd4e5fb590aa132749bbf2a04ea57efbaac399e'] },
  {
    name: 'ERC-4337 entry points, versions 0.6 to 0.9',
    source: ENTRY_POINTS,
    addresses: [
      '5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
      '0000000071727de22e5e9d8baf0edac6f37da032',
      '4337084d9e255ff0702461cf8895ce9e3b5ff108',
      '433709009b8330fda32311df1c2afa402ed8d009',
    ],
  },
  {
    name: 'Gelato relays and their collector of fees',
    source: GELATO,
    addresses: [
      'abcc9b596420a9e9172fd5938620e265a0f9df92',
      'b539068872230f20456cf38ec52ef2f91af4ae49',
      '8598806401a63ddf52473f1b3c55bc9e33e2d73b',
      'd8253782c45a12053594b9deb72d8e8ab2fca54c',
      'c65d82ece367ef06bf2ab791b3f3cf037dc0e816',
      '3ac05161b76a35c1c28dc99aa01bed7b24cea3bf',
    ],
  },
];

const addressesOf = (list: readonly Settlement[]): ReadonlySet<Hex> =>
  new Set(list.flatMap(({ addresses }) => addresses));

export const allSettlements = addressesOf(settlements);

/** Those that only ever act for others. */
export const settlementsForOthers = addressesOf(settlements.filter((each) => !each.alsoCalledByTraders));
