import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { nodesFile } from '#libs/chain/chains/rpc/node-memory.js';
import { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import { Runtime } from '#libs/platform/runtime.js';
import { Checkpoints } from './checkpoints.js';
import { systemClock } from './clock.js';
import { Resources } from './resources.js';
import { Stages } from './stages.js';
import { StatusSections } from './status-sections.js';
import { CLOCK, CONFIG, LOGGER, VERSION } from './tokens.js';

/** What every app has, for all its modules: the runtime of the process and its parts, stages, resources, the clock. */
@Global()
@Module({})
export class PlatformModule {
  static of(runtime: Runtime): DynamicModule {
    const providers: Provider[] = [
      { provide: Runtime, useValue: runtime },
      { provide: CONFIG, useValue: runtime.config },
      { provide: LOGGER, useValue: runtime.logger },
      { provide: VERSION, useValue: runtime.version },
      { provide: CLOCK, useValue: systemClock },
      { provide: Stages, useFactory: () => new Stages(runtime) },
      { provide: Resources, useFactory: () => new Resources(runtime.shutdown) },
      {
        provide: NodePools,
        useFactory: () =>
          new NodePools({
            fileOf: (chain) => (runtime.exclusive ? nodesFile(runtime.folder.path('source', chain), chain) : null),
            onMemoryError: (err) => runtime.logger.warn({ err }, 'what was learned of the nodes was not kept'),
          }),
      },
      { provide: StatusSections, useFactory: () => new StatusSections(runtime) },
      Checkpoints,
    ];
    return { module: PlatformModule, providers, exports: providers };
  }
}
