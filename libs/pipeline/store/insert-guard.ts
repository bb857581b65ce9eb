import { sqlString } from './query-parameters.js';

const MESSAGE = 'tidepool: another process has taken over these tables';
const THROWN_BY_THROW_IF = 395;

/** A condition of the engine that fails the whole statement where the guard does not hold. */
export const requireGuard = (holds: string): string => `throwIf(NOT (${holds}), ${sqlString(MESSAGE)}) = 0`;

export const isGuardError = (code: number | null, message: string): boolean =>
  code === THROWN_BY_THROW_IF && message.includes(MESSAGE);
