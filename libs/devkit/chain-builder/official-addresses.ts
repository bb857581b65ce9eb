/** Addresses of the contracts of Ethereum mainnet; the local chains put theirs at the same addresses. */
export const OFFICIAL = {
  v2Factory: '0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f',
  v2Router: '0x7a250d5630b4cf539739df2c5dacb4c659f2488d',
  v3Factory: '0x1f98431c8ad98523631ae4a59f267346ea31f984',
  swapRouter02: '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45',
  quoterV2: '0x61ffe014ba17989e743c5f6cb21bf9697530b21e',
  positionManager: '0xc36442b4a4522e871399cd717abdd847ab11fe88',
  weth: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  usdc: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  usdt: '0xdac17f958d2ee523a2206206994597c13d831ec7',
  dai: '0x6b175474e89094c44da98b954eedeac495271d0f',
  multicall3: '0xca11bde05977b3631167028862be2a173976ca11',
} as const;
