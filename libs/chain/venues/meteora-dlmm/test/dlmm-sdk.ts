import { createRequire } from 'node:module';
import type { KnownAccounts } from '#libs/chain/chains/solana/accounts.js';
import { meteoraDlmmPools } from '../quote.js';

/**
 * Quotes of @meteora-ag/dlmm over the bytes of accounts. The package loads by require only; it takes the time from
 * Date.now, and has it to the second here, as the chain does.
 */
const require = createRequire(import.meta.url);
const sdk = require('@meteora-ag/dlmm');
const { Connection, PublicKey } = require('@solana/web3.js');
const BN = require('bn.js');

const program = sdk.createProgram(new Connection('http://127.0.0.1:1'));
const { accountLayouts } = program.coder.accounts;

/** Bytes of an account of that name in the package's interface description. */
export function encode(name: 'lbPair' | 'binArray' | 'binArrayBitmapExtension', value: object): Buffer {
  const { layout, discriminator } = accountLayouts.get(name);
  const bytes = Buffer.alloc(20_000);
  const head = Buffer.from(discriminator);
  const length = layout.encode(value, bytes);
  return Buffer.concat([head, bytes.subarray(0, length)]);
}

const decode = (name: string, data: Uint8Array) => program.coder.accounts.decode(name, Buffer.from(data));
export const bn = (value: bigint | number) => new BN(value.toString());
export const publicKey = (text: string) => new PublicKey(text);
export const priceOf = (bin: number, step: number): bigint => BigInt(sdk.getQPriceFromId(bn(bin), bn(step)).toString());

export interface SdkSwap {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly fee: bigint;
}

export class SdkPool {
  private readonly pool: Record<string, unknown> & {
    swapQuote(...args: unknown[]): Record<string, { toString(): string }>;
    swapQuoteExactOut(...args: unknown[]): Record<string, { toString(): string }>;
  };
  private readonly arrays: { account: unknown; publicKey: unknown }[] = [];

  constructor(
    address: string,
    known: KnownAccounts,
    private readonly unixTime: bigint,
  ) {
    this.pool = Object.create(sdk.prototype);
    const mint = { tlvData: Buffer.alloc(0), address: PublicKey.default };
    Object.assign(this.pool, {
      pubkey: publicKey(address),
      program,
      lbPair: decode('lbPair', known.get(address)!.data),
      binArrayBitmapExtension: null,
      tokenX: { mint },
      tokenY: { mint },
      clock: { epoch: bn(0) },
    });
    for (const [key, account] of known) {
      if (key === address || account === null) continue;
      const publicKeyOf = publicKey(key);
      if (account.data.length > 5000) {
        this.arrays.push({ account: decode('binArray', account.data), publicKey: publicKeyOf });
      } else {
        this.pool.binArrayBitmapExtension = {
          account: decode('binArrayBitmapExtension', account.data),
          publicKey: publicKeyOf,
        };
      }
    }
  }

  exactIn(aToB: boolean, amountIn: bigint): SdkSwap | null {
    return this.quote(() => {
      const quote = this.pool.swapQuote(bn(amountIn), aToB, bn(0), this.arrays, false);
      return { amountIn: quote.consumedInAmount!, amountOut: quote.outAmount!, fees: [quote.fee!, quote.protocolFee!] };
    });
  }

  exactOut(aToB: boolean, amountOut: bigint): SdkSwap | null {
    return this.quote(() => {
      const quote = this.pool.swapQuoteExactOut(bn(amountOut), aToB, bn(0), this.arrays);
      return { amountIn: quote.inAmount!, amountOut: quote.outAmount!, fees: [quote.fee!, quote.protocolFee!] };
    });
  }

  private quote(run: () => { amountIn: object; amountOut: object; fees: object[] }): SdkSwap | null {
    const { now } = Date;
    Date.now = () => Number(this.unixTime) * 1000;
    try {
      const { amountIn, amountOut, fees } = run();
      const fee = fees.reduce((sum: bigint, part) => sum + BigInt(part.toString()), 0n);
      const swap = { amountIn: BigInt(amountIn.toString()), amountOut: BigInt(amountOut.toString()), fee };
      return swap.amountOut === 0n || swap.amountIn >= 1n << 64n ? null : swap;
    } catch (error) {
      if (error instanceof sdk.DlmmSdkError) return null;
      throw error;
    } finally {
      Date.now = now;
    }
  }
}

/** Fills in what the venue asks for from all that there is, as a reader of the chain would. */
export function gather(address: string, all: KnownAccounts): KnownAccounts {
  const known = new Map([[address, all.get(address) ?? null]]);
  for (let asked = -1; asked !== known.size; ) {
    asked = known.size;
    for (const key of meteoraDlmmPools.needs(address, known)) known.set(key, all.get(key) ?? null);
  }
  return known;
}
