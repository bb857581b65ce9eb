import { HttpProblem } from '#libs/serve/http/problem.js';

/** Refusals of the launch routes, in their own envelope. */
export const isLaunchPath = (path: string): boolean => /^(\/v1)?\/launch(\/|$)/.test(path);

export const launchErrorBody = ({ code, message }: HttpProblem): unknown => ({
  ok: false,
  data: null,
  error: { code, message },
  nextCursor: null,
});

/** Creates of one client within a minute. */
export const MOST_CREATES = 10;

export const notWired = (message: string) => new HttpProblem(501, 'not_wired', message);

export const insufficientFunds = (message: string) => new HttpProblem(422, 'insufficient_funds', message);

export const createSimulationFailed = (what: string) =>
  new HttpProblem(409, 'simulation_failed', `the simulation at the head failed: ${what}`);

export const tooManyCreates = (waitMs: number) => {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  const message = `a client may create ${MOST_CREATES} tokens a minute: try again in ${seconds} s`;
  return new HttpProblem(429, 'rate_limited', message, { 'retry-after': String(seconds) });
};
