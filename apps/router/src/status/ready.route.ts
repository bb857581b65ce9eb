import { Inject } from '@nestjs/common';
import type { Clock } from '#libs/app/modules/clock.js';
import { CLOCK } from '#libs/app/modules/tokens.js';
import { ReadyBody } from '#libs/serve/contract/rest/health-body.js';
import type { Answer } from '#libs/serve/http/answer.js';
import { Route, type RouteHandler } from '#libs/serve/http/declared-route.js';
import type { EvmChain } from '../evm/ports.js';
import { reasonsOf } from '../evm/readiness.js';
import { readyAnswer } from '../http/uncached-json.js';
import type { SolanaChain } from '../solana/ports.js';
import { isPaused, pausedReason, quoteReasons } from '../solana/readiness.js';
import { EVM_CHAINS, SOLANA_CHAIN } from '../tokens.js';

/** Readiness of the whole listener, in the form that every listener of the program has. */
@Route({
  id: 'getReady',
  method: 'GET',
  path: '/ready',
  summary: 'Whether any chain can trade',
  description:
    '200 when at least one chain can trade and the swap program of Solana is not paused, else 503, with the same body.',
  answer: ReadyBody,
  also: { 503: { type: ReadyBody, description: 'No chain can trade, or the swap program is paused.' } },
  errors: [],
  access: 'open',
  cost: 'free',
  cache: 'no-store',
})
export class ReadyRoute implements RouteHandler {
  constructor(
    @Inject(EVM_CHAINS) private readonly chains: readonly EvmChain[],
    @Inject(SOLANA_CHAIN) private readonly solana: SolanaChain,
    @Inject(CLOCK) private readonly now: Clock,
  ) {}

  handle(): Answer {
    const now = this.now();
    const reasons = this.chains.map((chain) => reasonsOf(chain, now));
    const paused = isPaused(this.solana) ? [pausedReason(this.solana.spec.slug)] : [];
    if (this.solana.isListed) reasons.push([...quoteReasons(this.solana), ...paused]);
    // Builds that are refused on purpose are shown even where everything else can trade.
    const ready = paused.length === 0 && reasons.some((list) => list.length === 0);
    const all = reasons.flat();
    const body: ReadyBody = { ready, reasons: ready ? [] : all, warnings: ready ? all : [] };
    return readyAnswer(body);
  }
}
