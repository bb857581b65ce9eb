import { EXIT } from '#libs/platform/exit-code.js';
import type { CommandContext } from './command.js';
import { ProgressView } from './progress-view.js';

export const JSON_OPTION = { name: 'json', about: 'the whole answer as JSON' } as const;

/** Runs an operation; its answer as JSON where --json asks for that, else in words. */
export async function answer<T>(
  { args, stdout, execute }: CommandContext,
  operation: string,
  given: Record<string, unknown>,
  words: (got: T) => string,
): Promise<number> {
  const got = (await execute(operation, given)) as T;
  stdout.write(`${args.options.json ? JSON.stringify(got, null, 2) : words(got)}\n`);
  return EXIT.ok;
}

/** Shows progress on standard error while the work runs; its line has ended when this returns. */
export async function withProgress<T>(
  { stderr }: Pick<CommandContext, 'stderr'>,
  work: (show: ProgressView['show']) => Promise<T>,
): Promise<T> {
  const view = new ProgressView(stderr);
  try {
    return await work((progress) => view.show(progress));
  } finally {
    view.end();
  }
}
