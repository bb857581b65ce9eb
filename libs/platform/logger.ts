import { pino } from 'pino';
import type { Config, LogLevel } from './config.js';
import { loggedError } from './logged-error.js';
import { prettyLine } from './pretty-line.js';
import { Redactor } from './redactor.js';

/** What a part of the program may know of logging. Fields first, then the sentence, as in pino. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
}

export interface LoggerOptions {
  level: LogLevel;
  format: 'pretty' | 'json';
  redactor?: Redactor;
  /** Where lines go; the process's standard error by default, so that standard output stays free for results. */
  write?: (line: string) => void;
}

/** pino over a destination that redacts every finished line: no credential passes, whichever part logged it. */
export function createLogger(options: LoggerOptions): Logger {
  const redactor = options.redactor ?? new Redactor();
  const write = options.write ?? ((line: string) => void process.stderr.write(line));
  const destination = {
    write(line: string): void {
      const clean = redactor.redact(line);
      write(options.format === 'pretty' ? prettyLine(clean) : clean);
    },
  };
  return pino(
    {
      level: options.level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: loggedError, error: loggedError },
    },
    destination,
  );
}

export const loggerOf = (config: Config, redactor = new Redactor(config.secrets)): Logger =>
  createLogger({ ...config.log, redactor });

export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
};
