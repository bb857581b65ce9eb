// Room: the start and end of a process around its Nest application. May import core, protocol, platform, app/modules.

import type { DynamicModule, INestApplicationContext, LoggerService } from '@nestjs/common';
import { startApplication } from '#libs/app/application.js';
import { PlatformModule } from '#libs/app/modules/platform.module.js';
import type { Logger } from '#libs/platform/logger.js';
import { programAnswer } from '#libs/platform/program-help.js';
import { type Runtime, type RuntimeOptions, runApp } from '#libs/platform/runtime.js';

/** What an app is made of, and what it does once everything has started; a failure of that is one of the start. */
export interface AppComposition {
  readonly imports: DynamicModule['imports'];
  started?(application: INestApplicationContext, runtime: Runtime): void | Promise<void>;
}

/**
 * The whole life of an app. The runtime of the process comes first, because its errors are sentences for an operator;
 * then a Nest application of the app's modules, without any listener of its own. Signals belong to the runtime: the
 * first one closes the application, a second one ends the process at once.
 *
 * Hooks by phase: `onModuleInit` opens listeners, `onApplicationBootstrap` starts stages; at the end `onModuleDestroy`
 * closes listeners, `beforeApplicationShutdown` ends stages, `onApplicationShutdown` closes log and tables.
 */
export async function bootstrap(options: RuntimeOptions, compose: (runtime: Runtime) => AppComposition): Promise<void> {
  const answer = programAnswer(options.app, process.argv.slice(2));
  if (answer !== null) {
    (answer.code === 0 ? process.stdout : process.stderr).write(answer.text);
    process.exitCode = answer.code;
    return;
  }
  await runApp(options, async (runtime) => {
    const { imports, started } = compose(runtime);
    const application = await startApplication(rootOf(runtime, imports), new NestLog(runtime.logger));
    // Registered last, so that it closes first; what it does not close has steps of its own.
    runtime.shutdown.add('application', () => application.close());
    await started?.(application, runtime);
  });
}

class RootModule {}

const rootOf = (runtime: Runtime, imports: DynamicModule['imports']): DynamicModule => ({
  module: RootModule,
  imports: [PlatformModule.of(runtime), ...(imports ?? [])],
});

/** What Nest has to say that an operator must know: warnings and errors, in the log of the process. */
class NestLog implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(): void {}

  warn(message: unknown): void {
    this.logger.warn({ from: 'nest' }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    // What ends the start is thrown as well, and said once.
    if (rest.includes('ExceptionHandler')) return;
    this.logger.error({ from: 'nest', err: message }, 'a hook of the application failed');
  }
}
