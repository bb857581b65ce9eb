/** Wallets with which exchanges serve several EVM chains under one address. */
export const evmExchanges = [
  {
    name: 'Binance',
    wallets: [
      '28c6c06298d514db089934071355e5743bf21d60',
      '21a31ee1afc51d94c2efccaa2092ad1028285549',
      'f977814e90da44bfa03b6295a0616a897441acec',
      'be0eb53f46cd790cd13851d5eff43d12404d33e8',
    ],
    sources: ['https://etherscan.io/accounts/label/binance'],
  },
  {
    name: 'Coinbase',
    wallets: ['a9d1e08c7793af67e9d92fe308d5697fb81d3e43'],
    sources: ['https://etherscan.io/accounts/label/coinbase'],
  },
  {
    name: 'Kraken',
    wallets: ['267be1c1d684f78cb4f6a176c4911b741e4ffdc0'],
    sources: ['https://etherscan.io/accounts/label/kraken'],
  },
  {
    name: 'OKX',
    wallets: ['6cc5f688a315f3dc28a7781717a9a798a59fda7b'],
    sources: ['https://etherscan.io/accounts/label/okx'],
  },
];
