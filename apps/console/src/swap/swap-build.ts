import { signal } from '@preact/signals';
import { ApiError } from '#libs/serve/client/api-error.js';
import type { SwapRequest } from '#libs/serve/client/router-client.js';
import type { EvmSwapAnswer } from '#libs/serve/contract/rest/evm/swap-body.js';

/** From a quote to transactions that can be signed. */
export type BuildState<A = EvmSwapAnswer> =
  | { readonly name: 'none' }
  | { readonly name: 'building' }
  | { readonly name: 'refused'; readonly error: ApiError }
  | { readonly name: 'built'; readonly answer: A; readonly at: number };

export interface SwapBuildOptions<A, R> {
  ask(request: R, signal: AbortSignal): Promise<A>;
  /** True when the failure was dealt with elsewhere. */
  ended?: (error: unknown) => boolean;
}

/** One build at a time; dropping it also drops an answer that is still on its way. */
export class SwapBuild<A = EvmSwapAnswer, R = SwapRequest> {
  readonly state = signal<BuildState<A>>({ name: 'none' });
  private asking = new AbortController();

  constructor(private readonly options: SwapBuildOptions<A, R>) {}

  async build(request: R): Promise<void> {
    this.asking.abort();
    const asking = new AbortController();
    this.asking = asking;
    this.state.value = { name: 'building' };
    try {
      const answer = await this.options.ask(request, asking.signal);
      if (!asking.signal.aborted) this.state.value = { name: 'built', answer, at: Date.now() };
    } catch (error) {
      if (asking.signal.aborted || this.options.ended?.(error) === true) return;
      if (!(error instanceof ApiError)) throw error;
      this.state.value = { name: 'refused', error };
    }
  }

  drop(): void {
    this.asking.abort();
    if (this.state.peek().name !== 'none') this.state.value = { name: 'none' };
  }
}
