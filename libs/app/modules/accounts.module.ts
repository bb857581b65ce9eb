import { hostname } from 'node:os';
import { Global, Inject, Injectable, Module, type OnApplicationBootstrap, type Provider } from '@nestjs/common';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { Logger } from '#libs/platform/logger.js';
import { Runtime } from '#libs/platform/runtime.js';
import type { Accounts } from '#libs/serve/accounts/account.js';
import { AccountsStage } from '#libs/serve/accounts/accounts-stage.js';
import { type OpenedAccounts, openAccounts } from '#libs/serve/accounts/open-accounts.js';
import type { SpendingStore } from '#libs/serve/accounts/spending.js';
import type { UsageLedger } from '#libs/serve/accounts/usage-ledger.js';
import { EventLogModule } from './backends.module.js';
import { Resources } from './resources.js';
import { Stages } from './stages.js';
import { StatusSections } from './status-sections.js';
import { ACCOUNTS, ACCOUNTS_STAGE, EVENT_LOG } from './tokens.js';

/** null: this instance asks for no keys. */
const OPENED = Symbol('opened accounts');

const opened: Provider = {
  provide: OPENED,
  inject: [Runtime, Resources],
  useFactory: async ({ config, folder, redactor, logger }: Runtime, resources: Resources) => {
    if (!config.accounts.on) return null;
    const { redisUrl: url } = config;
    const mostStreams = config.live.connectionsPerKey;
    const shared = url === null ? undefined : await sharedSpending(url, logger);
    const { demoKey, demoRate, prices } = config.accounts;
    const alone = config.kafka === null;
    const accounts = await openAccounts({
      dataDir: folder.dir,
      demoKey,
      demoRate,
      prices,
      alone,
      spending: shared,
      mostStreams,
    });
    redactor.add(accounts.admission.demo.key);
    return resources.opened('accounts', accounts, (all) => all.close());
  },
};

const accounts: Provider = {
  provide: ACCOUNTS,
  inject: [OPENED],
  useFactory: (all: OpenedAccounts | null): Accounts | null => all?.admission ?? null,
};

const stage: Provider = {
  provide: ACCOUNTS_STAGE,
  inject: [OPENED, EVENT_LOG, Runtime],
  useFactory: async (
    all: OpenedAccounts | null,
    log: EventLog,
    { config, logger }: Runtime,
  ): Promise<AccountsStage | null> => {
    if (all === null) return null;
    const { directory, ledger, admission } = all;
    const alone = config.kafka === null;
    const read = (): void => {
      admission.ready = true;
    };
    const made = new AccountsStage({
      ...{ log, directory, ledger, logger, read, alone, now: Date.now },
      writerId: `accounts.${hostname()}.${process.pid}`,
    });
    // Before the listeners open; a log that does not answer yet is asked again by the stage.
    await made.open().catch((error: unknown) => logger.warn({ err: error }, 'accounts: the log does not answer yet'));
    return made;
  },
};

/** Follows the accounts while the application runs, and shows operators how things are. */
@Injectable()
class AccountsStart implements OnApplicationBootstrap {
  constructor(
    @Inject(OPENED) private readonly all: OpenedAccounts | null,
    @Inject(ACCOUNTS_STAGE) private readonly stage: AccountsStage | null,
    @Inject(Stages) private readonly stages: Stages,
    @Inject(StatusSections) private readonly sections: StatusSections,
  ) {}

  onApplicationBootstrap(): void {
    const { all, stage } = this;
    if (all === null || stage === null) return;
    this.sections.add('accounts', () => ({
      keysRead: all.admission.ready,
      accounts: all.directory.allAccounts().length,
      processes: all.ledger.replicas,
      unsaved: all.ledger.unpublished().length,
    }));
    this.stages.start(stage);
  }
}

/** Who may call this instance; the demo key never gets into a log. */
@Global()
@Module({
  imports: [EventLogModule],
  providers: [opened, accounts, stage, AccountsStart],
  exports: [accounts, stage],
})
export class AccountsModule {}

async function sharedSpending(url: string, logger: Logger) {
  const { RedisSpending } = await import('#libs/serve/accounts/redis-spending.js');
  return (_: UsageLedger, local: SpendingStore) => new RedisSpending({ url, logger, local });
}
