import type { EvmChainsAnswer } from '#libs/protocol/rest/evm/chain-body.js';
import type { EvmQuote } from '#libs/protocol/rest/evm/quote-body.js';
import type { EvmReadyBody } from '#libs/protocol/rest/evm/ready-body.js';
import type { EvmReceiptsAnswer, EvmReceiptsQuery } from '#libs/protocol/rest/evm/receipt-body.js';
import type { EvmSwapAnswer } from '#libs/protocol/rest/evm/swap-body.js';
import type { EvmVenuesAnswer } from '#libs/protocol/rest/evm/venue-body.js';
import {
  type ClientOptions,
  isObject,
  type JsonAnswer,
  JsonClient,
  queryText,
  type RequestOptions,
} from './json-client.js';
import { routerError } from './router-error.js';

/** What a quote is asked for. Amounts are decimal strings of base units: they never pass through a number. */
export interface QuoteRequest {
  chain: string;
  /** An address, or `native` for the coin. */
  inputMint: string;
  outputMint: string;
  amount: string;
  slippageBps?: number;
  maxHops?: number;
  onlyDirectRoutes?: boolean;
  /** Labels or ids of venues, separated by commas. */
  dexes?: string;
  excludeDexes?: string;
}

export interface SwapRequest {
  /** The quote exactly as it came. */
  quoteResponse: EvmQuote;
  /** The wallet that will sign. */
  userPublicKey: string;
  slippageBps?: number;
  /** Who gets the output; the wallet without it. */
  recipient?: string;
  deadlineSeconds?: number;
}

/** The router's EVM routes with their types. A refusal is thrown as a RouterError, silence as an ApiError. */
export class RouterClient {
  private readonly http: JsonClient;

  constructor(options: ClientOptions) {
    this.http = new JsonClient(options);
  }

  async quote(request: QuoteRequest, options?: RequestOptions): Promise<EvmQuote> {
    return good(await this.http.get(`/evm/quote${queryText(request)}`, options));
  }

  /** Unsigned transactions; nothing is sent and nothing is signed by it. */
  async swap(request: SwapRequest, options?: RequestOptions): Promise<EvmSwapAnswer> {
    return good(await this.http.post('/evm/swap', request, options));
  }

  /** What builds promised and what their swaps gave, newest first. */
  async receipts(query: Partial<EvmReceiptsQuery> = {}, options?: RequestOptions): Promise<EvmReceiptsAnswer> {
    return good(await this.http.get(`/evm/receipts${queryText(query)}`, options));
  }

  async chains(options?: RequestOptions): Promise<EvmChainsAnswer> {
    return good(await this.http.get('/evm/chains', options));
  }

  async venues(options?: RequestOptions): Promise<EvmVenuesAnswer> {
    return good(await this.http.get('/evm/venues', options));
  }

  /** Answers with `ready: false` too: a 503 of this route is an answer, not an error. */
  async ready(options?: RequestOptions): Promise<EvmReadyBody> {
    const answer = await this.http.get('/evm/ready', options);
    const { status, body } = answer;
    if (status === 503 && isObject(body) && 'ready' in body) return body as unknown as EvmReadyBody;
    return good(answer);
  }
}

function good<T>({ status, body, headers }: JsonAnswer): T {
  if (status >= 200 && status < 300) return body as T;
  throw routerError(status, body, headers);
}
