import { Global, Module, type Provider } from '@nestjs/common';
import { openAccounts } from '#libs/accounts/open-accounts.js';
import { Runtime } from '#libs/platform/runtime.js';
import { ACCOUNTS } from './tokens.js';

const accounts: Provider = {
  provide: ACCOUNTS,
  inject: [Runtime],
  useFactory: async ({ folder, redactor }: Runtime) => {
    const opened = await openAccounts({ dataDir: folder.dir });
    redactor.add(opened.demo.key);
    return opened;
  },
};

/** The keys of this instance; the demo key never gets into a log. */
@Global()
@Module({ providers: [accounts], exports: [accounts] })
export class AccountsModule {}
