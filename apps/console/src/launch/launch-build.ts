import { signal } from '@preact/signals';
import { ApiError } from '#libs/serve/client/api-error.js';
import type { LaunchCreated } from '#libs/serve/contract/rest/launch/launch-body.js';

/** From a form to transactions that can be signed. */
export type LaunchState =
  | { readonly name: 'none' }
  | { readonly name: 'building' }
  | { readonly name: 'refused'; readonly error: ApiError }
  | { readonly name: 'built'; readonly created: LaunchCreated };

export interface LaunchBuildOptions {
  ask(request: Record<string, unknown>, signal: AbortSignal): Promise<LaunchCreated>;
  /** True when the failure was dealt with elsewhere. */
  ended: (error: unknown) => boolean;
}

/** One build at a time; dropping it also drops an answer that is still on its way. */
export class LaunchBuild {
  readonly state = signal<LaunchState>({ name: 'none' });
  private asking = new AbortController();

  constructor(private readonly options: LaunchBuildOptions) {}

  async build(request: Record<string, unknown>): Promise<void> {
    this.asking.abort();
    const asking = new AbortController();
    this.asking = asking;
    this.state.value = { name: 'building' };
    try {
      const created = await this.options.ask(request, asking.signal);
      if (!asking.signal.aborted) this.state.value = { name: 'built', created };
    } catch (error) {
      if (asking.signal.aborted || this.options.ended(error)) return;
      if (!(error instanceof ApiError)) throw error;
      this.state.value = { name: 'refused', error };
    }
  }

  drop(): void {
    this.asking.abort();
    if (this.state.peek().name !== 'none') this.state.value = { name: 'none' };
  }
}
