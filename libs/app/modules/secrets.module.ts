import { Global, Inject, Injectable, Module, type OnApplicationBootstrap, type Provider } from '@nestjs/common';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import { pause } from '#libs/platform/backoff.js';
import { Runtime } from '#libs/platform/runtime.js';
import { olderCursorKey } from '#libs/serve/accounts/secret-file.js';
import { SharedSecrets } from '#libs/serve/accounts/shared-secrets.js';
import { EventLogModule } from './backends.module.js';
import { Stages } from './stages.js';
import { EVENT_LOG, SHARED_SECRETS } from './tokens.js';

const secrets: Provider = {
  provide: SHARED_SECRETS,
  inject: [EVENT_LOG, Runtime],
  useFactory: async (log: EventLog, { config, folder, logger }: Runtime): Promise<SharedSecrets> => {
    const made = new SharedSecrets({
      ...{ log, configured: config.secretTexts, now: Date.now, pause },
      before: () => olderCursorKey(folder.dir),
    });
    // Before the listeners open; a log that does not answer yet is asked again by the stage.
    await made.open().catch((error: unknown) => logger.warn({ err: error }, 'secrets: the log does not answer yet'));
    return made;
  },
};

@Injectable()
class SecretsStart implements OnApplicationBootstrap {
  constructor(
    @Inject(SHARED_SECRETS) private readonly shared: SharedSecrets,
    @Inject(Stages) private readonly stages: Stages,
  ) {}

  onApplicationBootstrap(): void {
    this.stages.start(this.shared);
  }
}

/** What an instance signs with, followed while the application runs. */
@Global()
@Module({
  imports: [EventLogModule],
  providers: [secrets, SecretsStart],
  exports: [secrets],
})
export class SecretsModule {}
