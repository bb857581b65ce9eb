import { HttpProblem } from '#libs/serve/http/problem.js';
import { LiveProblem } from '#libs/serve/live/live-problem.js';
import { problemOf } from '../access/chain-access.js';

/** What the REST route would answer, as the live interface says it; anything else stays what it is. */
export function liveProblemOf(error: unknown): unknown {
  const problem = error instanceof HttpProblem ? error : problemOf(error);
  return problem === null ? error : new LiveProblem(problem.code, problem.message);
}

/** Runs something whose failures a client gets with the codes of the REST routes. */
export function inLiveTerms<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw liveProblemOf(error);
  }
}

export async function loadInLiveTerms<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw liveProblemOf(error);
  }
}
