import { Module } from '@nestjs/common';

/** Root module of the api app. The market-data routes are plain Fastify routes on Nest's own instance. */
@Module({})
export class ApiModule {}
