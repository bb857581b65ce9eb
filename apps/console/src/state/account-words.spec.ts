import { accountProblem, isOutOfCredits } from './account-words.js';

describe('words for an account that may not ask now', () => {
  const refusal = 'this account has no credits left for this request: add some, or wait until its plan renews';

  it('tell an account without credits from a key that is not known', () => {
    expect(isOutOfCredits({ status: 401, message: refusal, retryAfter: null })).toBe(true);
    expect(isOutOfCredits({ status: 401, message: 'this API key is unknown', retryAfter: null })).toBe(false);
    expect(accountProblem({ status: 401, message: refusal, retryAfter: null })?.words).toContain('start of the month');
    expect(accountProblem({ status: 401, message: 'this API key is unknown', retryAfter: null })).toBeNull();
  });

  it('say when a request over the rate is tried again', () => {
    expect(accountProblem({ status: 429, message: '', retryAfter: 1 })?.words).toContain('by itself in 1 s');
    expect(accountProblem({ status: 429, message: '', retryAfter: null })?.words).toContain('in a moment');
    expect(accountProblem({ status: 503, message: '', retryAfter: 2 })).toBeNull();
  });
});
