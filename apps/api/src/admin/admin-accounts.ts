import { Inject, Injectable } from '@nestjs/common';
import { ACCOUNTS_STAGE, EVENT_LOG, LOGGER } from '#libs/app/modules/tokens.js';
import { FencedError, TidepoolError } from '#libs/core/errors.js';
import type { EventLog } from '#libs/pipeline/event-log/log.js';
import type { KeyRecord } from '#libs/protocol/accounts/account-record.js';
import { AccountBook, AccountRefusal, type RefusalKind } from '#libs/serve/accounts/account-book.js';
import type { AccountsStage } from '#libs/serve/accounts/accounts-stage.js';
import { keyIdOf } from '#libs/serve/accounts/key-text.js';
import type { AdminAccount, AdminKey } from '#libs/serve/contract/rest/admin-body.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import { HttpProblem, upstreamUnavailable } from '#libs/serve/http/problem.js';

const ATTEMPTS = 5;

const ANSWERS: Readonly<Record<RefusalKind, readonly [number, string]>> = {
  wrong: [400, 'bad_request'],
  missing: [404, 'not_found'],
  taken: [409, 'conflict'],
};

/** What the admin API does, one after the other: each change is one of what is there then, and known here when it is answered. */
@Injectable()
export class AdminAccounts {
  private before: Promise<unknown> = Promise.resolve();

  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    /** Brings this process up to a change that was made. */
    @Inject(ACCOUNTS_STAGE) private readonly stage: Pick<AccountsStage, 'follow'> | null,
    @Inject(LOGGER) private readonly logger: HttpLogger,
  ) {}

  look<T>(read: (book: AccountBook) => T): Promise<T> {
    return this.answering(async () => read(await this.book()));
  }

  change<T>(change: (book: AccountBook) => Promise<T>): Promise<T> {
    const turn = this.before.then(() =>
      this.answering(async () => {
        const made = await this.unfenced(async () => change(await this.book()));
        await this.stage?.follow();
        return made;
      }),
    );
    this.before = turn.catch(() => undefined);
    return turn;
  }

  private book(): Promise<AccountBook> {
    return AccountBook.open(this.log);
  }

  /** A command or another instance may take over in between: nothing was written then. */
  private async unfenced<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof FencedError) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  private async answering<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof AccountRefusal) {
        const [status, code] = ANSWERS[error.kind];
        throw new HttpProblem(status, code, error.message);
      }
      if (!(error instanceof TidepoolError) || error instanceof HttpProblem) throw error;
      this.logger.warn({ err: error }, 'admin API: the log does not answer');
      throw upstreamUnavailable(
        'the log of accounts does not answer now: look whether it was done before you repeat it',
      );
    }
  }
}

export function shownAccount(book: AccountBook, id: string): AdminAccount {
  const { entry, account, spent, creditsLeft } = book.summaryOf(id);
  const { name, plan, rate: ownRate, closed, createdAt } = entry;
  return {
    ...{ id, name, plan, ownRate, rate: account?.rate ?? null, closed, createdAt },
    ...{ creditsRemaining: creditsLeft, creditsPerMonth: account?.credits ?? null },
    ...{ includedSpent: spent.included, granted: account?.granted ?? 0, grantedSpent: spent.extra },
  };
}

export const shownKey = ({
  hash,
  account,
  name,
  scopes,
  origins,
  createdAt,
  expiresAt,
  revokedAt,
}: KeyRecord): AdminKey => ({
  ...{ id: keyIdOf(hash), account, name, scopes: [...scopes], origins: [...origins] },
  ...{ createdAt, expiresAt, revokedAt },
});
