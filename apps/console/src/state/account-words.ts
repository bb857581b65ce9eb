import type { ApiError } from '#libs/serve/client/api-error.js';

export interface AccountProblem {
  title: string;
  tone: 'waiting' | 'error';
  words: string;
}

type Answered = Pick<ApiError, 'status' | 'message' | 'retryAfter'>;

/** The key is known, its account has nothing left: another key of it would not help. */
export const isOutOfCredits = ({ status, message }: Answered): boolean =>
  status === 401 && message.includes('no credits left');

/** Words for a request that the account may not send now; null: it was refused for another reason. */
export function accountProblem(error: Answered): AccountProblem | null {
  if (isOutOfCredits(error)) {
    return {
      title: 'This account has no credits left',
      tone: 'error',
      words:
        'Its plan renews at the start of the month (UTC), or its operator adds some: the page continues by itself then.',
    };
  }
  if (error.status !== 429) return null;
  const wait = error.retryAfter === null ? 'in a moment' : `in ${error.retryAfter} s`;
  return {
    title: 'More requests than this account may send',
    tone: 'waiting',
    words: `The rate is one for every page, program and key of the account. The page tries again by itself ${wait}.`,
  };
}
