import { HttpProblem } from '#libs/serve/http/problem.js';

export const serverBusy = (message: string): HttpProblem =>
  new HttpProblem(503, 'server_busy', message, { 'retry-after': '30' });

/** How many connections one listener keeps open at a time. What is open is never ended to make room. */
export class Capacity {
  private taken = 0;

  constructor(readonly most: number) {}

  get used(): number {
    return this.taken;
  }

  get free(): boolean {
    return this.taken < this.most;
  }

  /** The answer to a client that would be one too many. */
  refusal(): HttpProblem {
    return serverBusy(`this listener has as many live connections as it takes (${this.most}): try again later`);
  }

  /** Takes a place until the answer is called, which may happen more than once. */
  take(): () => void {
    if (!this.free) throw this.refusal();
    this.taken++;
    let held = true;
    return () => {
      if (held) this.taken--;
      held = false;
    };
  }
}
