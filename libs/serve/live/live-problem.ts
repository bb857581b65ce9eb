import { TidepoolError } from '#libs/core/errors.js';

/** The answer to a refused operation: the code is the one that the REST route would give. */
export class LiveProblem extends TidepoolError {
  constructor(code: string, message: string) {
    super(code, message);
    this.name = 'LiveProblem';
  }
}

export const badLiveRequest = (message: string): LiveProblem => new LiveProblem('bad_request', message);
