import { createRequire } from 'node:module';
import type { QuoteWorld } from '#libs/chain/market-ports/solana/test/quote-world.js';
import { decodeBase58 } from '#libs/core/base58.js';
import { raydiumV4Pools } from '../quote.js';

const require = createRequire(import.meta.url);
export const BN = require('bn.js');
const { PublicKey } = require('@solana/web3.js');
export const { liquidityStateV4Layout } = require('@raydium-io/raydium-sdk-v2');
export const Liquidity = require('@raydium-io/raydium-sdk-v2/lib/raydium/liquidity/liquidity').default;

export interface Shape {
  coin: bigint;
  pc: bigint;
  toTake?: [bigint, bigint];
  fee?: [bigint, bigint];
  status?: bigint;
  openTime?: bigint;
}

/** A pool in account bytes, by the SDK's own layout. */
export function poolIn(
  world: QuoteWorld,
  { coin, pc, toTake = [0n, 0n], fee = [25n, 10_000n], ...more }: Shape,
): string {
  const keys = ['baseVault', 'quoteVault', 'baseMint', 'quoteMint', 'openOrders', 'marketId'].map((name) => [
    name,
    world.key(),
  ]);
  const named = Object.fromEntries(keys) as Record<string, string>;
  const fields = Object.fromEntries(
    (liquidityStateV4Layout.fields as { property: string }[]).map(({ property }) => [property, new BN(0)]),
  );
  const data = Buffer.alloc(liquidityStateV4Layout.span);
  liquidityStateV4Layout.encode(
    {
      ...fields,
      padding: [new BN(0), new BN(0), new BN(0)],
      ...Object.fromEntries(
        ['lpMint', 'marketProgramId', 'targetOrders', 'withdrawQueue', 'lpVault', 'owner'].map((name) => [
          name,
          new PublicKey(world.key()),
        ]),
      ),
      ...Object.fromEntries(keys.map(([name, key]) => [name, new PublicKey(key)])),
      status: new BN(String(more.status ?? 6n)),
      poolOpenTime: new BN(String(more.openTime ?? 0n)),
      swapFeeNumerator: new BN(String(fee[0])),
      swapFeeDenominator: new BN(String(fee[1])),
      tradeFeeNumerator: new BN(25),
      tradeFeeDenominator: new BN(10_000),
      baseNeedTakePnl: new BN(String(toTake[0])),
      quoteNeedTakePnl: new BN(String(toTake[1])),
    },
    data,
  );
  world.vault(named.baseVault!, decodeBase58(named.baseMint!)!, coin);
  world.vault(named.quoteVault!, decodeBase58(named.quoteMint!)!, pc);
  return world.put(world.key(), raydiumV4Pools.program, data);
}
