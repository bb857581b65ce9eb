import { Module } from '@nestjs/common';

/** Root module of the router app. */
@Module({})
export class RouterModule {}
