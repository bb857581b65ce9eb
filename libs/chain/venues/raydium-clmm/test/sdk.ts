import { createRequire } from 'node:module';
import type {
  ClmmConfigLayout,
  PoolInfoLayout,
  TickArrayBitmapExtensionLayout,
  TickArrayLayout,
} from '@raydium-io/raydium-sdk-v2';
import { PublicKey } from '@solana/web3.js';
import type BN from 'bn.js';
import { raydiumClmm } from '../decode.js';

/** Raydium's own SDK: its layouts write the accounts, its simulator of the program is the reference. */
export const sdk: typeof import('@raydium-io/raydium-sdk-v2') = createRequire(import.meta.url)(
  '@raydium-io/raydium-sdk-v2',
);
const BigNumber: typeof BN = createRequire(import.meta.url)('bn.js');
export const PROGRAM = new PublicKey(raydiumClmm.program);

export const bn = (value: bigint | number): BN => new BigNumber(value.toString());

interface Layout<T> {
  readonly span: number;
  encode(value: T, data: Buffer): number;
}

export function encoded<T>(layout: Layout<T>, discriminator: string, value: unknown): Uint8Array {
  const data = Buffer.alloc(layout.span);
  layout.encode(value as T, data);
  data.set(Buffer.from(discriminator, 'hex'), 0);
  return Uint8Array.from(data);
}

export interface SdkAccounts {
  readonly pool: Uint8Array;
  readonly config: Uint8Array;
  readonly extension: Uint8Array;
  array(start: number): Uint8Array;
}

type Pool = ReturnType<typeof PoolInfoLayout.decode>;
type Config = ReturnType<typeof ClmmConfigLayout.decode>;
type Extension = ReturnType<typeof TickArrayBitmapExtensionLayout.decode>;
type TickArray = ReturnType<typeof TickArrayLayout.decode>;

/** First ticks of the arrays that a swap meets, as the SDK searches its bitmaps. */
export function sdkStarts(accounts: SdkAccounts, aToB: boolean, count: number): number[] {
  const pool: Pool = sdk.PoolInfoLayout.decode(Buffer.from(accounts.pool));
  const extension: Extension = sdk.TickArrayBitmapExtensionLayout.decode(Buffer.from(accounts.extension));
  return sdk.TickArrayBitmapUtil.findTickArrayStartIndex({
    tickSpacing: pool.tickSpacing,
    poolBitmap: pool.tickArrayBitmap,
    tickArrayBitmap: extension,
    findInfo: { type: aToB ? 'zeroForOne' : 'oneForZero', count, tickArrayCurrent: pool.tickCurrent },
  });
}

/** An order of which the fee leaves nothing to match: the simulator never ends there, the program takes the fee. */
export class Stalled extends Error {}

let fees = 0n;
let remaining = 0n;
// The simulator forgets fees while no liquidity is in range, and says that all was traded where the price limit cut the
// swap: both are counted where a step is made.
const apply = sdk.SwapState.applySwapAmounts.bind(sdk.SwapState);
sdk.SwapState.applySwapAmounts = (step) => {
  fees += BigInt(step.feeAmount.toString());
  apply(step);
  remaining = BigInt(step.state.amountSpecifiedRemaining.toString());
};
const match = sdk.TickUtil.matchLimitOrder.bind(sdk.TickUtil);
sdk.TickUtil.matchLimitOrder = (request) => {
  const result = match(request);
  if (result.amountIn.isZero() && !result.ammFeeAmount.isZero()) throw new Stalled();
  return result;
};

export interface SdkSwap {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly fee: bigint;
}

const LAST_U64 = (1n << 64n) - 1n;

/** Null for whatever the program refuses: filled in part, more than 64 bits, nothing in or out. */
export function sdkSwap(
  accounts: SdkAccounts,
  starts: readonly number[],
  aToB: boolean,
  amount: bigint,
  exactIn: boolean,
  now: bigint,
): SdkSwap | null {
  const limit = aToB ? 4295048017n : 79226673521066979257578248090n;
  fees = 0n;
  remaining = amount;
  try {
    const poolInfo: Pool = sdk.PoolInfoLayout.decode(Buffer.from(accounts.pool));
    const configInfo: Config = sdk.ClmmConfigLayout.decode(Buffer.from(accounts.config));
    const result = sdk.swapInternal({
      programId: PROGRAM,
      poolId: PROGRAM,
      poolInfo,
      tickArrays: starts.map((start) => {
        const value: TickArray = sdk.TickArrayLayout.decode(Buffer.from(accounts.array(start)));
        return { address: PROGRAM, value };
      }),
      configInfo,
      tickarrayBitmapExtension: sdk.TickArrayBitmapExtensionLayout.decode(Buffer.from(accounts.extension)),
      amountSpecified: bn(amount),
      sqrtPriceLimitX64: bn(limit),
      zeroForOne: aToB,
      isBaseInput: exactIn,
      blockTimestamp: Number(now),
      includeExtraTickArrays: false,
    });
    const calculated = BigInt(result.amountCalculated.toString());
    if (!result.allTrade || remaining !== 0n) return null;
    if (calculated === 0n || calculated > LAST_U64 || fees > LAST_U64) return null;
    return exactIn
      ? { amountIn: amount, amountOut: calculated, fee: fees }
      : { amountIn: calculated, amountOut: amount, fee: fees };
  } catch (error) {
    if (error instanceof Stalled) throw error;
    return null;
  }
}
