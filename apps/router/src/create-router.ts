import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { RouterDeps } from './router-deps.js';
import { RouterListener } from './router-listener.js';
import { RoutesModule } from './routes.module.js';

export type { RouterDeps } from './router-deps.js';

export interface RunningRouter {
  readonly url: string;
  close(): Promise<void>;
}

/** The router, running: a Nest application whose start opens its listener and whose end closes it. */
export async function createRouter(deps: RouterDeps): Promise<RunningRouter> {
  const app = await NestFactory.createApplicationContext(RoutesModule.over(deps), {
    logger: false,
    abortOnError: false,
  });
  return { url: app.get(RouterListener).url!, close: () => app.close() };
}
