import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { Controller, Get, Module, Param, Query, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import Fastify from 'fastify';
import { TokenPath } from '#libs/serve/contract/rest/path-parameters.js';
import { TradesQuery } from '#libs/serve/contract/rest/queries.js';
import { TradesAnswer } from '#libs/serve/contract/rest/trade-body.js';
import { declareRoute } from '#libs/serve/contract/route-declaration.js';
import { ParameterReader } from '#libs/serve/contract/schema/parameter-reader.js';
import { Answer } from '#libs/serve/http/answer.js';
import { routeOf } from '#libs/serve/http/declared-route.js';
import { createListener } from '#libs/serve/http/listener.js';

/**
 * One route with checked parameters and a small ready answer, served in different ways. Tells its port and, when asked,
 * the CPU time of its process since it was last asked.
 */
export type RouteKind = 'bare' | 'declared' | 'controller' | 'validation pipe';

const kind = process.argv[2] as RouteKind;
const PATH = '/tokens/:chain/:address/trades';
const BODY = { data: [], next: null, meta: { block: 1, blockHash: '0x', finalized: null, proof: 'none' } };
const text = JSON.stringify(BODY);

async function bare(): Promise<number> {
  const fastify = Fastify();
  fastify.get(PATH, (_request, reply) => void reply.header('content-type', 'application/json').send(text));
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  return (fastify.server.address() as AddressInfo).port;
}

async function declared(): Promise<number> {
  const declaration = declareRoute({
    ...{ id: 'bench', method: 'GET', path: PATH, summary: 'Bench', parameters: TokenPath, query: TradesQuery },
    ...{ answer: TradesAnswer, errors: [], access: 'open', cost: 'read', cache: 'revalidate' },
  });
  const answer = Answer.json(BODY);
  const listener = await createListener({
    routes: [routeOf<TokenPath, TradesQuery>(declaration, () => answer)],
    ...{ accounts: null, host: '127.0.0.1', port: 0, errorBody: ({ code, message }) => ({ error: { code, message } }) },
    logger: { info: () => undefined, warn: () => undefined, error: console.error },
  });
  return Number(new URL(listener.url).port);
}

/** Nest's own routing, with the parameters read by the compiled reader or by Nest's pipe. */
async function nest(withPipe: boolean): Promise<number> {
  const paths = new ParameterReader(TokenPath);
  const queries = new ParameterReader(TradesQuery);

  @Controller()
  class ReaderController {
    @Get(PATH)
    trades(@Param() path: Record<string, unknown>, @Query() query: Record<string, unknown>): object {
      for (const outcome of [paths.read(path), queries.read(query)]) {
        if ('problem' in outcome) throw new Error(outcome.problem);
      }
      return BODY;
    }
  }

  @Controller()
  class PipeController {
    @Get(PATH)
    trades(@Param() _path: TokenPath, @Query() _query: TradesQuery): object {
      return BODY;
    }
  }

  @Module({ controllers: [withPipe ? PipeController : ReaderController] })
  class RouteModule {}

  const app = await NestFactory.create<NestFastifyApplication>(RouteModule, new FastifyAdapter(), { logger: false });
  if (withPipe) {
    app.useGlobalPipes(new ValidationPipe({ transform: true, transformOptions: { enableImplicitConversion: true } }));
  }
  await app.listen(0, '127.0.0.1');
  return Number(new URL(await app.getUrl()).port);
}

const started = performance.now();
const port = await (kind === 'bare' ? bare() : kind === 'declared' ? declared() : nest(kind === 'validation pipe'));
const bootMs = performance.now() - started;
let before = process.cpuUsage();
process.on('message', () => {
  const { user, system } = process.cpuUsage(before);
  before = process.cpuUsage();
  process.send!({ cpuMicros: user + system });
});
process.on('SIGTERM', () => process.exit(0));
process.send!({ port, bootMs });
