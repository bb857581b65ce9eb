import type { FastifyRequest } from 'fastify';
import { passOf } from '#libs/serve/http/pass.js';

/** Id of the account whose key asks; null where the router asks for no keys. */
export const accountOf = ({ raw }: FastifyRequest): string | null => passOf(raw)?.caller.account.id ?? null;
