import { StoreError } from '#libs/pipeline/store/store-error.js';
import { UdfError } from '#libs/serve/contract/rest/udf-body.js';
import type { DeclaredError } from '#libs/serve/contract/route-declaration.js';
import { ParameterReader } from '#libs/serve/contract/schema/parameter-reader.js';
import { Answer } from '#libs/serve/http/answer.js';
import { badRequest, HttpProblem } from '#libs/serve/http/problem.js';
import { problemOf } from '../access/chain-access.js';
import { TablesFailed } from '../access/stale-if-error-cache.js';

/** Refusals of these routes have the body that the charting library reads. */
const refusal = (status: number, meaning: string, example: string): DeclaredError => ({
  ...{ status, code: 'error', meaning, example, body: UdfError },
});

const udfErrors: readonly DeclaredError[] = [
  refusal(400, 'a parameter is missing or wrong; `errmsg` names it and the rule.', 'resolution must be one of 1S, 5S'),
  refusal(404, 'no source knows the symbol.', 'unknown_symbol'),
  refusal(502, 'the tables do not answer: try again.', 'the tables do not answer now'),
  { ...refusal(503, 'the chain cannot be served now: try again.', 'it is starting'), retry: true },
];

/** What the routes have in common that read the market. */
export const udfRoute = {
  method: 'GET',
  readsItself: true,
  errors: udfErrors,
  access: 'keyed',
  cache: 'revalidate',
} as const;

/** Parameters by their rules; the first broken one is a 400. */
export class UdfParameters<Query extends object> {
  private readonly reader: ParameterReader<Query>;

  constructor(type: new () => Query) {
    this.reader = new ParameterReader(type);
  }

  read(given: unknown): Query {
    const read = this.reader.read(given as Record<string, unknown>);
    if ('problem' in read) throw badRequest(read.problem);
    return read.value;
  }
}

export async function inUdfTerms(answer: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await answer();
  } catch (error) {
    const problem = error instanceof HttpProblem ? error : problemOf(error);
    if (problem === null) throw error;
    const body: UdfError = { s: 'error', errmsg: problem.message };
    const plain = Answer.untagged(body, problem.status);
    const refused = new Answer(plain.body, plain.contentType, null, problem.headers, problem.status);
    return error instanceof StoreError ? new TablesFailed(error, refused) : refused;
  }
}
