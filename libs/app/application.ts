import 'reflect-metadata';
import type { DynamicModule, INestApplicationContext, LoggerService } from '@nestjs/common';
import { AbstractHttpAdapter, NestFactory } from '@nestjs/core';

/**
 * A Nest application that has started: its modules are made, its WebSocket gateways bound, its hooks called. Nest itself opens
 * no listener: each listener is a module's own.
 */
export async function startApplication(
  root: DynamicModule,
  logger: LoggerService | false = false,
): Promise<INestApplicationContext> {
  const application = await NestFactory.create(root, new NoHttpServer(), {
    ...{ logger, abortOnError: false, bodyParser: false },
  });
  return application.init();
}

const unused = (): never => {
  throw new Error('Nest has no HTTP server in this application');
};

/** Nest binds gateways only in an application that has an HTTP server; this one serves nothing and has no controllers. */
class NoHttpServer extends AbstractHttpAdapter {
  getType(): string {
    return 'none';
  }

  initHttpServer(): void {}

  setErrorHandler(): void {}

  setNotFoundHandler(): void {}

  close(): void {}

  useStaticAssets = unused;
  setViewEngine = unused;
  getRequestHostname = unused;
  getRequestMethod = unused;
  getRequestUrl = unused;
  status = unused;
  reply = unused;
  end = unused;
  render = unused;
  redirect = unused;
  isHeadersSent = unused;
  getHeader = unused;
  setHeader = unused;
  appendHeader = unused;
  registerParserMiddleware = unused;
  enableCors = unused;
  createMiddlewareFactory = unused;
  applyVersionFilter = unused;
}
