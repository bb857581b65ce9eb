import type { FastifyRequest } from 'fastify';
import { badRequest } from '#libs/http/problem.js';
import type { QueryReader } from '#libs/protocol/rest/query-reader.js';

/** The parameters of a request by the rules of its query class; a 400 with the message of the first broken rule. */
export function readQuery<T extends object>(reader: QueryReader<T>, request: FastifyRequest): T {
  const outcome = reader.read(request.query as Record<string, unknown>);
  if ('problem' in outcome) throw badRequest(outcome.problem);
  return outcome.value;
}

/** One spelling for equal requests: what a cursor is bound to and an answer is kept under. */
export function scopeOf(route: string, subject: string, parameters: object): string {
  const entries = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return `${route}|${subject}|${JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}
