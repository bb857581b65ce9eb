import type { EvmQuote } from '#libs/serve/contract/rest/evm/quote-body.js';
import type { EvmReceiptsQuery } from '#libs/serve/contract/rest/evm/receipt-body.js';
import type { LaunchChain, LaunchCreated } from '#libs/serve/contract/rest/launch/launch-body.js';
import type { SolQuote } from '#libs/serve/contract/rest/solana/quote-body.js';
import type { SolQuoteParameters } from '#libs/serve/contract/rest/solana/quote-request.js';
import type { SolReceiptsQuery } from '#libs/serve/contract/rest/solana/receipt-body.js';
import type { SolSwapRequest } from '#libs/serve/contract/rest/solana/swap-request.js';
import { type RouterRoutes, routerPaths } from './generated/router.js';
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

/** Routes that take no body, at a path without parameters. */
type Read = {
  [Id in keyof RouterRoutes]: RouterRoutes[Id] extends { body: unknown }
    ? never
    : object extends RouterRoutes[Id]['path']
      ? Id
      : never;
}[keyof RouterRoutes];
type AnswerOf<Id extends keyof RouterRoutes> = RouterRoutes[Id]['answer'];

/** The router's routes with their types. A refusal is thrown as a RouterError, silence as an ApiError. */
export class RouterClient {
  private readonly http: JsonClient;

  constructor(options: ClientOptions) {
    this.http = new JsonClient(options);
  }

  /** Any declared route without a body, by the name of its operation. */
  async call<Id extends Read>(
    id: Id,
    query: Partial<RouterRoutes[Id]['query']> = {},
    options?: RequestOptions,
  ): Promise<AnswerOf<Id>> {
    return good(await this.http.get(routerPaths[id] + queryText(query), options));
  }

  quote(request: QuoteRequest, options?: RequestOptions): Promise<EvmQuote> {
    return this.call('getEvmQuote', request, options);
  }

  /** Unsigned transactions; nothing is sent and nothing is signed by it. */
  async swap(request: SwapRequest, options?: RequestOptions): Promise<AnswerOf<'buildEvmSwap'>> {
    return good(await this.http.post(routerPaths.buildEvmSwap, request, options));
  }

  /** A quote of Solana. */
  solanaQuote(request: SolQuoteParameters, options?: RequestOptions): Promise<SolQuote> {
    return this.call('getSolQuote', request, options);
  }

  /** An unsigned transaction of Solana. */
  async solanaSwap(request: SolSwapRequest, options?: RequestOptions): Promise<AnswerOf<'buildSolSwap'>> {
    return good(await this.http.post(routerPaths.buildSolSwap, request, options));
  }

  /** Chains with their launchpads. */
  async launchpads(options?: RequestOptions): Promise<LaunchChain[]> {
    return (await this.call('getLaunch', {}, options)).data.chains;
  }

  /** Unsigned transactions that create a token. */
  async launch(chain: string, request: object, options?: RequestOptions): Promise<LaunchCreated> {
    const path = routerPaths.createLaunch.replace(':chain', encodeURIComponent(chain));
    return good<AnswerOf<'createLaunch'>>(await this.http.post(path, request, options)).data;
  }

  /** A picture for creates on local chains. */
  get sampleImage(): string {
    return `${this.http.base}/launch/files/sample.png`;
  }

  /** What builds promised and what their swaps gave, newest first. */
  receipts(query: Partial<EvmReceiptsQuery> = {}, options?: RequestOptions): Promise<AnswerOf<'getEvmReceipts'>> {
    return this.call('getEvmReceipts', query, options);
  }

  /** The same of Solana. */
  solanaReceipts(query: Partial<SolReceiptsQuery> = {}, options?: RequestOptions): Promise<AnswerOf<'getSolReceipts'>> {
    return this.call('getSolReceipts', query, options);
  }

  chains(options?: RequestOptions): Promise<AnswerOf<'getEvmChains'>> {
    return this.call('getEvmChains', {}, options);
  }

  venues(options?: RequestOptions): Promise<AnswerOf<'getEvmVenues'>> {
    return this.call('getEvmVenues', {}, options);
  }

  /** Answers with `ready: false` too: a 503 of this route is an answer, not an error. */
  async ready(options?: RequestOptions): Promise<AnswerOf<'getEvmReady'>> {
    const answer = await this.http.get(routerPaths.getEvmReady, options);
    const { status, body } = answer;
    if (status === 503 && isObject(body) && 'ready' in body) return body as unknown as AnswerOf<'getEvmReady'>;
    return good(answer);
  }
}

function good<T>({ status, body, headers }: JsonAnswer): T {
  if (status >= 200 && status < 300) return body as T;
  throw routerError(status, body, headers);
}
