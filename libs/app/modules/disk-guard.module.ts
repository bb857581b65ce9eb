import { Inject, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { Runtime } from '#libs/platform/runtime.js';

@Injectable()
class DiskGuarding implements OnModuleInit {
  constructor(@Inject(Runtime) private readonly runtime: Runtime) {}

  /** Before any stage starts: on a full disk they are held from the beginning. */
  async onModuleInit(): Promise<void> {
    await this.runtime.guardDisk();
  }
}

/** Holds the stages while the disk is nearly full, for apps that write. */
@Module({ providers: [DiskGuarding] })
export class DiskGuardModule {}
