import { chainSpec } from '#libs/chain/catalogue/catalogue.js';
import type { Hex } from '#libs/core/ids.js';
import type { PoolKind, PoolRecord } from '#libs/protocol/blocks.js';
import type { ChainView } from './chain-view.js';
import { readHolderKinds } from './holder-kinds.js';

const [CURVE, DEEP, PLAIN] = ['01'.repeat(20), '02'.repeat(20), '03'.repeat(20)] as const;

/** A view whose tables know one pool and whose tail another. */
function viewOf(slug: string): ChainView {
  const pool = (id: Hex, kind: PoolKind) => ({ pool: id, kind }) as PoolRecord;
  return {
    chain: chainSpec(slug)!,
    reads: { poolRecords: async () => [pool(DEEP, 'constant-product')] },
    groups: [{ facts: { kind: 'block', pools: [pool(CURVE, 'curve')] } }],
  } as unknown as ChainView;
}

const kindsOf = async (slug: string, addresses: readonly string[]): Promise<unknown[]> => {
  const { ids } = chainSpec(slug)!;
  const holders = addresses.map((address) => ids.parseAddress(address)!);
  const kinds = await readHolderKinds(viewOf(slug), holders);
  return holders.map((holder) => kinds.get(holder));
};

it('says what a holder of an EVM chain is', async () => {
  const addresses = [
    ...['0x000000000000000000000000000000000000dEaD', `0x${CURVE}`, `0x${DEEP}`, `0x${PLAIN}`],
    // Binance 14, the pool manager of Uniswap V4, and the router of Uniswap V2.
    '0x28C6c06298d514Db089934071355E5743bf21d60',
    '0x000000000004444c5dc75cB358380D2e3dE08A90',
    '0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D',
  ];
  const kinds = ['burn', 'curve', 'pool', 'wallet', 'exchange', 'pool', 'program'];
  expect(await kindsOf('eth', addresses)).toEqual(kinds);
});

it('says what a holder of Solana is', async () => {
  const addresses = [
    '1nc1nerator11111111111111111111111111111111',
    '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
    // The authority of Raydium's AMM, which a program derived; and a wallet.
    '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1',
    'vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg',
  ];
  expect(await kindsOf('sol', addresses)).toEqual(['burn', 'exchange', 'program', 'wallet']);
});
