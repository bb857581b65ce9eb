import { Answer, JSON_TYPE } from '#libs/serve/http/answer.js';
import { RETRY_LATER } from './router-problem.js';

const NONE = {} as const;

/** An answer for one caller and one moment: never compressed or tagged. Its route is declared `no-store`. */
export const uncachedJson = (json: string): Answer => new Answer(json, JSON_TYPE, null, NONE, 200, false);

/** 200 or 503 with the same body, for load balancers. */
export const readyAnswer = (body: { ready: boolean }): Answer =>
  new Answer(
    Buffer.from(JSON.stringify(body), 'utf8'),
    JSON_TYPE,
    null,
    body.ready ? NONE : RETRY_LATER,
    body.ready ? 200 : 503,
  );
