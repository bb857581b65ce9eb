import type { Coin } from './coins.js';
import { readableDescription } from './description.js';

const [OTTR, OTHER] = [`0x${'ab'.repeat(20)}`, `0x${'cd'.repeat(20)}`];
const coin: Coin = { chain: 'eth', address: OTTR, symbol: 'OTTR', name: 'Otter', decimals: 18 };
const coins = new Map([[OTTR, coin]]);

it.each([
  [`Approve 1500000000000000000 base units of ${OTTR} for Uniswap V3`, 'Approve 1.5 OTTR for Uniswap V3'],
  [`Swap 7 base units of ${OTHER} for at least 1.5 ETH`, 'Swap 7 base units of 0xcdcd…cdcd for at least 1.5 ETH'],
  [`Let go of ${OTTR.toUpperCase().replace('0X', '0x')}`, 'Let go of OTTR'],
  ['Wrap 1 ETH', 'Wrap 1 ETH'],
])('%s', (said, shown) => expect(readableDescription(said, coins)).toBe(shown));
