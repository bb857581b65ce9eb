import { signal } from '@preact/signals';
import { ApiError } from '#libs/serve/client/api-error.js';
import type { RestClient } from '#libs/serve/client/rest-client.js';
import type { EvmChainRow } from '#libs/serve/contract/rest/evm/chain-body.js';
import { familyOf } from '../state/families.js';

/** The address that means a chain's native coin on every route. */
export const NATIVE = `0x${'e'.repeat(40)}`;

/** A token or a chain's own coin, as far as amounts and labels need it. */
export interface Coin {
  readonly chain: string;
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
}

/** What the page knows of a chain whose tokens are swapped. */
export type CoinChain = Pick<EvmChainRow, 'chain' | 'nativeCurrency' | 'wrappedNative'>;

export const nativeCoin = ({ chain, nativeCurrency }: CoinChain): Coin => ({
  chain,
  address: NATIVE,
  ...nativeCurrency,
});

export const isNative = (coin: Pick<Coin, 'address'>): boolean => coin.address === NATIVE;

/** Short in an address bar: `native` for the coin. */
export const coinName = (address: string): string => (address === NATIVE ? 'native' : address);

/** One spelling of each address: in hexadecimal case means nothing, in base58 it does. */
export const plainAddress = (address: string): string => (/^0x/i.test(address) ? address.toLowerCase() : address);

export const addressOfName = (name: string): string => (name.toLowerCase() === 'native' ? NATIVE : plainAddress(name));

const RETRY_MS = 10_000;

/** Why a token cannot be swapped here. */
export class CoinError extends Error {}

/**
 * The tokens of one chain that the page has met: each is asked for once, because symbol and decimals never change. A
 * token without known decimals is refused: its amounts could not be shown.
 */
export class CoinBook {
  readonly coins = signal<ReadonlyMap<string, Coin>>(new Map());
  private readonly loading = new Map<string, Promise<Coin>>();
  /** When an address could not be loaded, so that a page that is drawn often does not ask as often. */
  private readonly failedAt = new Map<string, number>();
  private readonly native: Coin;

  constructor(
    private readonly rest: Pick<RestClient, 'token'>,
    private readonly row: CoinChain,
  ) {
    this.native = nativeCoin(row);
    this.coins.value = new Map([[NATIVE, this.native]]);
  }

  /** What is known of an address without asking; asks for it where nothing is. */
  get(address: string): Coin | null {
    const coin = this.coins.value.get(address);
    const failedAt = this.failedAt.get(address);
    const due = failedAt === undefined || Date.now() - failedAt > RETRY_MS;
    if (coin === undefined && due) void this.load(address).catch(() => undefined);
    return coin ?? null;
  }

  /** The coin itself where a family's routes mean it by the wrapped one. */
  swapped(address: string): string {
    return familyOf(this.row.chain) === 'solana' && address === this.row.wrappedNative ? NATIVE : address;
  }

  load(address: string): Promise<Coin> {
    const known = this.coins.peek().get(address);
    if (known !== undefined) return Promise.resolve(known);
    const asked = this.loading.get(address) ?? this.ask(address);
    this.loading.set(address, asked);
    return asked;
  }

  private async ask(address: string): Promise<Coin> {
    try {
      const { data } = await this.rest.token(this.row.chain, address);
      if (data.decimals === null)
        throw new CoinError(`${data.symbol ?? address} does not say how many decimals it has`);
      const coin: Coin = {
        ...{ chain: this.row.chain, address: plainAddress(data.address), decimals: data.decimals },
        symbol: this.symbolOf(data.address, data.symbol),
        name: data.name ?? data.address,
      };
      this.coins.value = new Map(this.coins.peek()).set(coin.address, coin);
      return coin;
    } catch (error) {
      this.loading.delete(address);
      this.failedAt.set(address, Date.now());
      if (error instanceof ApiError && error.status === 404)
        throw new CoinError(`${address} is not known on this chain`);
      throw error;
    }
  }

  /** The wrapped coin never goes by the coin's plain symbol: here the two are different things. */
  private symbolOf(address: string, symbol: string | null): string {
    const wrapped = plainAddress(address) === plainAddress(this.row.wrappedNative);
    if (wrapped && (symbol === null || symbol === this.native.symbol)) return `W${this.native.symbol}`;
    return symbol ?? 'no symbol';
  }
}
