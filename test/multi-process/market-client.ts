import type { CandleBody, CandlesAnswer } from '#libs/serve/contract/rest/candle-body.js';
import type { ChainBody, ChainsAnswer } from '#libs/serve/contract/rest/chain-body.js';
import type { TokenAnswer } from '#libs/serve/contract/rest/token-body.js';
import type { TradeBody, TradesAnswer } from '#libs/serve/contract/rest/trade-body.js';

/** A client of the market-data API, as an outsider writes one: the key, the pages, nothing else. */
export class MarketClient {
  constructor(
    readonly url: string,
    readonly key: string | null,
  ) {}

  async status(path: string): Promise<number> {
    return (await this.request(path)).status;
  }

  /** The body of an answer that has to be 200. */
  async get<T>(path: string): Promise<T> {
    const response = await this.request(path);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path} answers ${response.status}: ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  }

  async chain(slug: string): Promise<ChainBody> {
    const { data } = await this.get<ChainsAnswer>('/chains');
    return data.find(({ chain }) => chain === slug)!;
  }

  token(address: string, chain = 'eth'): Promise<TokenAnswer> {
    return this.get(`/tokens/${chain}/${address}`);
  }

  /** Pages until the end, or until there are enough rows. */
  async pages<A extends { data: unknown[]; next: string | null }>(path: string, enough = Infinity): Promise<A[]> {
    const pages: A[] = [];
    let rows = 0;
    let next: string | null = null;
    do {
      const cursor: string = next === null ? '' : `&cursor=${encodeURIComponent(next)}`;
      const page: A = await this.get<A>(`${path}${cursor}`);
      pages.push(page);
      rows += page.data.length;
      next = page.next;
    } while (next !== null && rows < enough);
    return pages;
  }

  /** All trades of a token, newest first. */
  async trades(address: string, chain = 'eth'): Promise<TradeBody[]> {
    const pages = await this.pages<TradesAnswer>(`/tokens/${chain}/${address}/trades?limit=200`);
    return pages.flatMap(({ data }) => data);
  }

  async candles(address: string, query: string, enough?: number, chain = 'eth'): Promise<CandleBody[]> {
    const pages = await this.pages<CandlesAnswer>(`/tokens/${chain}/${address}/candles?${query}`, enough);
    // The newest page comes first; within a page time ascends.
    return pages.reverse().flatMap(({ data }) => data);
  }

  private request(path: string): Promise<Response> {
    const headers: Record<string, string> = this.key === null ? {} : { 'x-api-key': this.key };
    return fetch(`${this.url}${path}`, { headers, signal: AbortSignal.timeout(30_000) });
  }
}
