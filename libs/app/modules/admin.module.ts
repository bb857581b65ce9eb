import { Inject, Injectable, Module, type OnModuleDestroy, type OnModuleInit, Optional } from '@nestjs/common';
import type { AdminListener } from '#libs/platform/admin-listener.js';
import type { Operations } from '#libs/platform/admin-protocol.js';
import { Runtime } from '#libs/platform/runtime.js';
import { StatusSections } from './status-sections.js';
import { OPERATIONS } from './tokens.js';

/** The operators' listener and the socket of the command line, open from the start of the application to its end. */
@Injectable()
export class AdminServer implements OnModuleInit, OnModuleDestroy {
  private listener: AdminListener | null = null;

  constructor(
    @Inject(Runtime) private readonly runtime: Runtime,
    @Inject(StatusSections) private readonly sections: StatusSections,
    /** An app without them serves no operation. */
    @Optional() @Inject(OPERATIONS) private readonly operations: Operations = {},
  ) {}

  get url(): string {
    return this.listener!.url;
  }

  async onModuleInit(): Promise<void> {
    const { operations } = this;
    this.listener = await this.runtime.serveAdmin({ status: () => this.sections.read(), operations });
  }

  async onModuleDestroy(): Promise<void> {
    await this.listener?.close();
  }
}

@Module({ providers: [AdminServer], exports: [AdminServer] })
export class AdminModule {}
